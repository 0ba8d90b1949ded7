// Which metrics a writer keeps of each column.
#include <fmt/format.h>

#include "base/strings.h"
#include "spec/properties.h"

namespace iceblink::spec {
namespace {

bool HasMetrics(const Type& type) { return type.is_primitive() || type.Is(TypeKind::kVariant); }

// Chooses the first `limit` fields: all of a struct's own before those of its nested types.
void Limit(const Type& type, size_t limit, std::set<int32_t>& out) {
  std::vector<const NestedField*> children = type.children();
  for (const NestedField* field : children) {
    if (out.size() < limit && HasMetrics(field->type)) out.insert(field->id);
  }
  for (const NestedField* field : children) {
    if (out.size() < limit) Limit(field->type, limit, out);
  }
}

MetricsMode ModeOr(std::string_view text, const MetricsMode& otherwise) {
  return ParseMetricsMode(text).value_or(otherwise);
}

bool IsWeak(const MetricsMode& mode) {
  return mode.kind == MetricsMode::Kind::kNone || mode.kind == MetricsMode::Kind::kCounts;
}

}  // namespace

std::string MetricsMode::ToString() const {
  switch (kind) {
    case Kind::kNone:
      return "none";
    case Kind::kCounts:
      return "counts";
    case Kind::kTruncate:
      return fmt::format("truncate({})", length);
    case Kind::kFull:
      return "full";
  }
  return {};
}

Result<MetricsMode> ParseMetricsMode(std::string_view text) {
  using Kind = MetricsMode::Kind;
  std::string lower = AsciiLower(text);
  if (lower == "none") return MetricsMode{Kind::kNone, 0};
  if (lower == "counts") return MetricsMode{Kind::kCounts, 0};
  if (lower == "full") return MetricsMode{Kind::kFull, 0};
  if (lower.starts_with("truncate(") && lower.ends_with(')')) {
    auto length = ParseInt32(std::string_view(lower).substr(9, lower.size() - 10));
    if (length && *length > 0) return MetricsMode{Kind::kTruncate, *length};
    if (length)
      return Fail(ErrorCode::kInvalidArgument, "Truncate length should be positive",
                  "IllegalArgumentException");
  }
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Invalid metrics mode: {}", text),
              "IllegalArgumentException");
}

std::map<int32_t, MetricsMode> ResolveMetricsModes(const Schema& schema, const SortOrder& order,
                                                   const Properties& properties) {
  std::map<int32_t, MetricsMode> modes;
  for (const NestedField* field : schema.AllFields()) {
    if (HasMetrics(field->type)) modes.emplace(field->id, MetricsMode{});
  }
  MetricsMode fallback;
  auto limit =
      static_cast<size_t>(IntProperty(properties, property::kMetricsMaxInferred).value_or(100));
  if (auto it = properties.find(std::string(property::kMetricsDefault)); it != properties.end()) {
    fallback = ModeOr(it->second, MetricsMode{});
    for (auto& [id, mode] : modes) mode = fallback;
  } else if (modes.size() > limit) {
    fallback = MetricsMode{MetricsMode::Kind::kNone, 0};
    std::set<int32_t> kept;
    Limit(Type(schema.struct_type()), limit, kept);
    for (auto& [id, mode] : modes) {
      if (!kept.contains(id)) mode = fallback;
    }
  }
  for (const SortField& field : order.fields) {
    if (!field.transform.preserves_order() || !modes.contains(field.source_id)) continue;
    modes[field.source_id] = IsWeak(fallback) ? MetricsMode{} : fallback;
  }
  for (auto it = properties.lower_bound(std::string(property::kMetricsColumnPrefix));
       it != properties.end() && it->first.starts_with(property::kMetricsColumnPrefix); ++it) {
    const NestedField* field =
        schema.FindField(it->first.substr(property::kMetricsColumnPrefix.size()));
    if (field != nullptr && modes.contains(field->id))
      modes[field->id] = ModeOr(it->second, fallback);
  }
  return modes;
}

std::map<int32_t, MetricsMode> PositionDeleteMetricsModes() {
  constexpr int32_t kFilePathId = 2147483546;
  constexpr int32_t kPosId = 2147483545;
  MetricsMode full{MetricsMode::Kind::kFull, 0};
  return {{kFilePathId, full}, {kPosId, full}};
}

Status CheckMetricsProperties(const Schema& schema, const Properties& properties) {
  for (const auto& [key, value] : properties) {
    if (!key.starts_with(property::kMetricsColumnPrefix)) continue;
    std::string column = key.substr(property::kMetricsColumnPrefix.size());
    if (schema.FindField(column) != nullptr) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "Invalid metrics config, could not find column {} from table prop {} in schema {}",
            column, key, schema.ToString()),
        "ValidationException");
  }
  return {};
}

}  // namespace iceblink::spec
