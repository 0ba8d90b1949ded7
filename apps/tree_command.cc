#include "tree_command.h"

#include <cstdio>
#include <ctime>
#include <functional>
#include <utility>

#include "base/strings.h"
#include "engine/session_state.h"
#include "spec/single_value.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/partition_types.h"
#include "table/snapshots.h"

namespace iceblink::cli {
namespace {

std::string SizeText(int64_t count) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(count);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, unit++;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string Time(int64_t millis) {
  std::time_t seconds = millis / 1000;
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
  return text;
}

std::string Plural(int64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// A bound as text; nothing when it does not decode.
std::string BoundText(const spec::Type& type, const Bytes& bytes) {
  auto value = spec::FromBound(type, bytes.data);
  if (!value || value->is_null()) return "?";
  std::string text = spec::HumanString(type, *value);
  constexpr size_t kLongest = 24;
  if (CodePointCount(text) > kLongest) text = std::string(CodePointPrefix(text, kLongest)) + "…";
  return text;
}

class TreePrinter {
 public:
  TreePrinter(const table::ReadContext& context, const spec::TableMetadata& metadata,
              int files_per_manifest)
      : context_(context),
        metadata_(metadata),
        types_(metadata),
        files_per_manifest_(files_per_manifest) {}

  void PrintTable(const std::string& name) const {
    std::printf("%s\n", name.c_str());
    std::printf("└─ %s\n", std::string(io::BaseName(metadata_.metadata_file_location)).c_str());
    std::printf("   format v%d, uuid %s, last updated %s\n", metadata_.format_version,
                metadata_.uuid.c_str(), Time(metadata_.last_updated_ms).c_str());
    std::printf("   location %s\n", metadata_.location.c_str());
    std::printf("   schema %d: %s\n", metadata_.current_schema_id, Columns().c_str());
    std::printf("   partition spec %d: %s\n", metadata_.default_spec_id, Partitioning().c_str());
    for (const auto& [ref_name, ref] : metadata_.refs) {
      std::printf("   %s %s -> %lld\n", ref.is_branch() ? "branch" : "tag", ref_name.c_str(),
                  static_cast<long long>(ref.snapshot_id));
    }
    std::printf("   %s\n",
                Plural(static_cast<int64_t>(metadata_.snapshots.size()), "snapshot").c_str());
  }

  Status PrintSnapshot(const spec::Snapshot& snapshot) {
    std::printf("   └─ snapshot %lld  %s  %s  sequence %lld\n",
                static_cast<long long>(snapshot.snapshot_id),
                snapshot.operation.value_or("?").c_str(), Time(snapshot.timestamp_ms).c_str(),
                static_cast<long long>(snapshot.sequence_number));
    for (const char* key : {"total-data-files", "total-delete-files", "total-records"}) {
      auto at = snapshot.summary.find(key);
      if (at != snapshot.summary.end()) std::printf("      %s %s\n", key, at->second.c_str());
    }
    ASSIGN_OR_RETURN(std::vector<spec::ManifestFile> manifests,
                     table::ReadManifests(context_, snapshot));
    std::printf("      └─ %s  %s\n", std::string(io::BaseName(snapshot.manifest_list)).c_str(),
                Plural(static_cast<int64_t>(manifests.size()), "manifest").c_str());
    for (size_t i = 0; i < manifests.size(); i++)
      RETURN_IF_ERROR(PrintManifest(manifests[i], i + 1 == manifests.size()));
    return {};
  }

 private:
  std::string Columns() const {
    std::vector<std::string> texts;
    for (const spec::NestedField& field : metadata_.schema().fields()) {
      texts.push_back(field.name + " " + field.type.ToString() +
                      (field.required ? " not null" : ""));
    }
    return Join(texts, ", ");
  }

  std::string Partitioning() const {
    if (metadata_.spec().is_unpartitioned()) return "unpartitioned";
    std::vector<std::string> texts;
    for (const spec::PartitionField& field : metadata_.spec().fields) {
      texts.push_back(field.name + " = " + field.transform.ToString() + "(" +
                      metadata_.schema().FullName(field.source_id) + ")");
    }
    return Join(texts, ", ");
  }

  Status PrintManifest(const spec::ManifestFile& manifest, bool last) {
    std::string indent = last ? "            " : "         │  ";
    std::printf(
        "         %s %s  %s  %s  spec %d  sequence %lld  added %d  existing %d  deleted %d\n",
        last ? "└─" : "├─", std::string(io::BaseName(manifest.path)).c_str(),
        SizeText(manifest.length).c_str(),
        manifest.content == spec::ManifestContent::kData ? "data" : "deletes", manifest.spec_id,
        static_cast<long long>(manifest.sequence_number), manifest.added_files_count.value_or(0),
        manifest.existing_files_count.value_or(0), manifest.deleted_files_count.value_or(0));
    int shown = 0, hidden = 0;
    table::ManifestReadOptions options;
    options.live_only = true;
    RETURN_IF_ERROR(table::ForEachEntry(context_, manifest, types_, options,
                                        [&](const spec::ManifestEntry& entry) -> Status {
                                          if (shown < files_per_manifest_) {
                                            PrintFile(entry.data_file, indent);
                                            shown++;
                                          } else {
                                            hidden++;
                                          }
                                          return {};
                                        }));
    if (hidden > 0)
      std::printf("%s└─ … and %s more (--files N)\n", indent.c_str(),
                  Plural(hidden, "file").c_str());
    return {};
  }

  void PrintFile(const spec::DataFile& file, const std::string& indent) const {
    std::string path = file.file_path;
    if (path.starts_with(metadata_.location + "/"))
      path = path.substr(metadata_.location.size() + 1);
    static constexpr const char* kContent[] = {"", "  position deletes", "  equality deletes"};
    std::printf("%s├─ %s  %s  %s%s\n", indent.c_str(), path.c_str(),
                SizeText(file.file_size_in_bytes).c_str(), Plural(file.record_count, "row").c_str(),
                kContent[static_cast<size_t>(file.content)]);
    std::vector<std::string> bounds;
    for (const spec::NestedField* field : metadata_.schema().AllFields()) {
      const Bytes* lower = file.lower_bounds.Find(field->id);
      const Bytes* upper = file.upper_bounds.Find(field->id);
      if (lower == nullptr || upper == nullptr) continue;
      bounds.push_back(metadata_.schema().FullName(field->id) + " " +
                       BoundText(field->type, *lower) + " .. " + BoundText(field->type, *upper));
    }
    if (!bounds.empty()) std::printf("%s│    %s\n", indent.c_str(), Join(bounds, "; ").c_str());
  }

  table::ReadContext context_;
  const spec::TableMetadata& metadata_;
  table::PartitionTypes types_;
  int files_per_manifest_;
};

Status PrintTree(engine::Session& session, const TreeFlags& flags) {
  ASSIGN_OR_RETURN(plan::TableRef table, session.FindTable(flags.table));
  ASSIGN_OR_RETURN(std::shared_ptr<catalog::Catalog> catalog,
                   session.state().catalogs.Get(table.catalog));
  TreePrinter printer(session.state().ReadContextOf(*catalog), *table.metadata,
                      flags.files_per_manifest);
  printer.PrintTable(table.DottedName());
  std::optional<int64_t> id = table.snapshot_id;
  if (!flags.version.empty()) {
    ASSIGN_OR_RETURN(table::ResolvedVersion version,
                     table::ResolveVersion(*table.metadata, flags.version));
    id = version.snapshot_id;
  }
  const spec::Snapshot* snapshot = id ? table.metadata->SnapshotById(*id) : nullptr;
  if (snapshot == nullptr) {
    std::printf("   └─ no snapshot: the table is empty\n");
    return {};
  }
  return printer.PrintSnapshot(*snapshot);
}

}  // namespace

int RunTreeCommand(const TreeFlags& flags) {
  auto options = MakeSessionOptions(flags.session);
  if (!options) {
    PrintErrorText(options.error());
    return kExitUsage;
  }
  engine::Session session(std::move(*options));
  if (auto status = PrintTree(session, flags); !status) {
    PrintErrorText(status.error());
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace iceblink::cli
