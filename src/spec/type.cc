#include "spec/type.h"

#include <fmt/format.h>

#include <variant>

#include "base/strings.h"

namespace iceblink::spec {
namespace {

struct GeoParams {
  std::string crs;
  std::string algorithm;
  bool operator==(const GeoParams&) const = default;
};

constexpr std::string_view kDefaultCrs = "OGC:CRS84";
constexpr std::string_view kDefaultAlgorithm = "spherical";

struct NamedType {
  std::string_view name;
  TypeKind kind;
};
constexpr NamedType kNamedTypes[] = {
    {"boolean", TypeKind::kBoolean},
    {"int", TypeKind::kInt},
    {"long", TypeKind::kLong},
    {"float", TypeKind::kFloat},
    {"double", TypeKind::kDouble},
    {"date", TypeKind::kDate},
    {"time", TypeKind::kTime},
    {"timestamp", TypeKind::kTimestamp},
    {"timestamptz", TypeKind::kTimestampTz},
    {"timestamp_ns", TypeKind::kTimestampNs},
    {"timestamptz_ns", TypeKind::kTimestampTzNs},
    {"string", TypeKind::kString},
    {"uuid", TypeKind::kUuid},
    {"binary", TypeKind::kBinary},
    {"variant", TypeKind::kVariant},
    {"unknown", TypeKind::kUnknown},
};

std::string_view NameOfKind(TypeKind kind) {
  for (const NamedType& named : kNamedTypes) {
    if (named.kind == kind) return named.name;
  }
  return {};
}

// Returns the trimmed text between `prefix` + open and a final close, or nothing when the text has
// another shape.
std::optional<std::string_view> Parameters(std::string_view text, std::string_view prefix,
                                           char open, char close) {
  if (text.size() < prefix.size() + 2 || AsciiLower(text.substr(0, prefix.size())) != prefix)
    return std::nullopt;
  std::string_view rest = Trim(text.substr(prefix.size()));
  if (rest.size() < 2 || rest.front() != open || rest.back() != close) return std::nullopt;
  return Trim(rest.substr(1, rest.size() - 2));
}

std::optional<Type> ParseParameterized(std::string_view text) {
  if (auto p = Parameters(text, "decimal", '(', ')')) {
    size_t comma = p->find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    auto precision = ParseInt32(Trim(p->substr(0, comma)));
    auto scale = ParseInt32(Trim(p->substr(comma + 1)));
    if (!precision || !scale) return std::nullopt;
    return Type::Decimal(*precision, *scale);
  }
  if (auto p = Parameters(text, "fixed", '[', ']')) {
    auto length = ParseInt32(*p);
    if (!length || *length < 0) return std::nullopt;
    return Type::Fixed(*length);
  }
  if (AsciiLower(text) == "geometry") return Type::Geometry();
  if (AsciiLower(text) == "geography") return Type::Geography();
  if (auto p = Parameters(text, "geometry", '(', ')')) return Type::Geometry(std::string(*p));
  if (auto p = Parameters(text, "geography", '(', ')')) {
    size_t comma = p->find(',');
    if (comma == std::string_view::npos) return Type::Geography(std::string(*p));
    return Type::Geography(std::string(Trim(p->substr(0, comma))),
                           std::string(Trim(p->substr(comma + 1))));
  }
  return std::nullopt;
}

}  // namespace

struct Type::Nested {
  std::variant<StructType, ListType, MapType, GeoParams> value;
};

Type::Type(StructType type)
    : kind_(TypeKind::kStruct), nested_(std::make_shared<Nested>(Nested{std::move(type)})) {}
Type::Type(ListType type)
    : kind_(TypeKind::kList), nested_(std::make_shared<Nested>(Nested{std::move(type)})) {}
Type::Type(MapType type)
    : kind_(TypeKind::kMap), nested_(std::make_shared<Nested>(Nested{std::move(type)})) {}

Type Type::Decimal(int32_t precision, int32_t scale) {
  Type type(TypeKind::kDecimal);
  type.a_ = precision;
  type.b_ = scale;
  return type;
}

Type Type::Fixed(int32_t length) {
  Type type(TypeKind::kFixed);
  type.a_ = length;
  return type;
}

Type Type::Geometry(std::string crs) {
  Type type(TypeKind::kGeometry);
  if (crs == kDefaultCrs) crs.clear();
  type.nested_ = std::make_shared<Nested>(Nested{GeoParams{std::move(crs), {}}});
  return type;
}

Type Type::Geography(std::string crs, std::string algorithm) {
  Type type(TypeKind::kGeography);
  if (crs == kDefaultCrs) crs.clear();
  if (algorithm == kDefaultAlgorithm) algorithm.clear();
  type.nested_ = std::make_shared<Nested>(Nested{GeoParams{std::move(crs), std::move(algorithm)}});
  return type;
}

Type Type::Struct(std::vector<NestedField> fields) { return Type(StructType{std::move(fields)}); }

Type Type::List(int32_t element_id, Type element, bool element_required) {
  return Type(ListType{
      NestedField{element_id, "element", std::move(element), element_required, {}, {}, {}}});
}

Type Type::Map(int32_t key_id, Type key, int32_t value_id, Type value, bool value_required) {
  return Type(
      MapType{NestedField{key_id, "key", std::move(key), true, {}, {}, {}},
              NestedField{value_id, "value", std::move(value), value_required, {}, {}, {}}});
}

const std::string& Type::crs() const { return std::get<GeoParams>(nested_->value).crs; }
const std::string& Type::algorithm() const { return std::get<GeoParams>(nested_->value).algorithm; }
const StructType& Type::AsStruct() const { return std::get<StructType>(nested_->value); }
const ListType& Type::AsList() const { return std::get<ListType>(nested_->value); }
const MapType& Type::AsMap() const { return std::get<MapType>(nested_->value); }

std::vector<const NestedField*> Type::children() const {
  std::vector<const NestedField*> out;
  if (Is(TypeKind::kStruct)) {
    for (const NestedField& field : AsStruct().fields) out.push_back(&field);
  } else if (Is(TypeKind::kList)) {
    out = {&AsList().element};
  } else if (Is(TypeKind::kMap)) {
    out = {&AsMap().key, &AsMap().value};
  }
  return out;
}

std::string Type::ToString() const {
  switch (kind_) {
    case TypeKind::kDecimal:
      return fmt::format("decimal({}, {})", a_, b_);
    case TypeKind::kFixed:
      return fmt::format("fixed[{}]", a_);
    case TypeKind::kGeometry:
      return crs().empty() ? "geometry" : fmt::format("geometry({})", crs());
    case TypeKind::kGeography:
      if (!algorithm().empty()) {
        return fmt::format("geography({}, {})", crs().empty() ? kDefaultCrs : crs(), algorithm());
      }
      return crs().empty() ? "geography" : fmt::format("geography({})", crs());
    case TypeKind::kStruct: {
      std::vector<std::string> fields;
      for (const NestedField& field : AsStruct().fields) fields.push_back(field.ToString());
      return fmt::format("struct<{}>", fmt::join(fields, ", "));
    }
    case TypeKind::kList:
      return fmt::format("list<{}>", AsList().element.type.ToString());
    case TypeKind::kMap:
      return fmt::format("map<{}, {}>", AsMap().key.type.ToString(), AsMap().value.type.ToString());
    case TypeKind::kUnknown:
    case TypeKind::kBoolean:
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
    case TypeKind::kString:
    case TypeKind::kUuid:
    case TypeKind::kBinary:
    case TypeKind::kVariant:
      return std::string(NameOfKind(kind_));
  }
  return {};
}

bool operator==(const Type& a, const Type& b) {
  if (a.kind_ != b.kind_ || a.a_ != b.a_ || a.b_ != b.b_) return false;
  if (a.nested_ == b.nested_) return true;
  return a.nested_ && b.nested_ && a.nested_->value == b.nested_->value;
}

NestedField NestedField::Optional(int32_t id, std::string name, Type type,
                                  std::optional<std::string> doc) {
  return NestedField{id, std::move(name), std::move(type), false, std::move(doc), {}, {}};
}

NestedField NestedField::Required(int32_t id, std::string name, Type type,
                                  std::optional<std::string> doc) {
  return NestedField{id, std::move(name), std::move(type), true, std::move(doc), {}, {}};
}

std::string NestedField::ToString() const {
  std::string text =
      fmt::format("{}: {}: {} {}", id, name, required ? "required" : "optional", type.ToString());
  if (doc) text += fmt::format(" ({})", *doc);
  return text;
}

const NestedField* StructType::FieldById(int32_t id) const {
  for (const NestedField& field : fields) {
    if (field.id == id) return &field;
  }
  return nullptr;
}

const NestedField* StructType::FieldByName(std::string_view name) const {
  for (const NestedField& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

Result<Type> ParsePrimitiveType(std::string_view text) {
  std::string lower = AsciiLower(text);
  for (const NamedType& named : kNamedTypes) {
    if (named.name == lower) return Type(named.kind);
  }
  if (auto type = ParseParameterized(text)) {
    if (type->Is(TypeKind::kDecimal) && (type->precision() > 38 || type->precision() < 1)) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("Decimals with precision larger than 38 are not supported: {}",
                              type->precision()),
                  "IllegalArgumentException");
    }
    return *type;
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("Cannot parse type string to primitive: {}", text),
              "IllegalArgumentException");
}

std::string TypeString(const Type& type) { return type.ToString(); }

bool IsPromotionAllowed(const Type& from, const Type& to) {
  if (from == to) return true;
  if (from.Is(TypeKind::kInt)) return to.Is(TypeKind::kLong);
  if (from.Is(TypeKind::kFloat)) return to.Is(TypeKind::kDouble);
  return from.Is(TypeKind::kDecimal) && to.Is(TypeKind::kDecimal) && from.scale() == to.scale() &&
         from.precision() <= to.precision();
}

int32_t MinFormatVersion(TypeKind kind) {
  switch (kind) {
    case TypeKind::kUnknown:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
    case TypeKind::kVariant:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return 3;
    case TypeKind::kBoolean:
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kString:
    case TypeKind::kUuid:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return 1;
  }
  return 1;
}

}  // namespace iceblink::spec
