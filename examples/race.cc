// Two writers append ten times each, at once, and all twenty appends land. A third one read the
// table before and wants to overwrite a day that has grown since: it is refused, and the error
// names the filter of the conflict.
//
//   race FOLDER
#include <cstdio>
#include <string>
#include <thread>

#include "iceblink/iceblink.h"
#include "must.h"

namespace ib = iceblink;
using namespace ib::expressions;

constexpr int kAppends = 10;

std::vector<ib::DataFile> WriteOne(const ib::Table& table, int64_t id, const char* day) {
  auto writer = Must(table.NewDataWriter());
  Must(writer->Write({{id, day}}));
  return Must(writer->Finish());
}

// A writer has a catalog of its own, as another process would.
void Append(const std::string& folder, int64_t from, const char* day) {
  ib::Catalog catalog = Must(ib::Catalog::Open(
      "c", {{"type", "jdbc"}, {"uri", "jdbc:sqlite:" + folder + "/c.db"}, {"warehouse", folder}}));
  ib::Table table = Must(catalog.LoadTable({{"db"}, "events"}));
  for (int64_t i = 0; i < kAppends; ++i) {
    ib::AppendFiles append = table.NewAppend();
    for (const ib::DataFile& file : WriteOne(table, from + i, day)) append.AppendFile(file);
    Must(append.Commit());
  }
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "/tmp/iceblink-race";
  ib::Catalog catalog = Must(ib::Catalog::Open(
      "c", {{"type", "jdbc"}, {"uri", "jdbc:sqlite:" + folder + "/c.db"}, {"warehouse", folder}}));
  Must(catalog.CreateNamespace({"db"}));
  ib::Schema schema = Must(ib::Schema::Builder()
                               .Required("id", ib::Type::Long())
                               .Required("day", ib::Type::String())
                               .Build());
  ib::TableOptions options;
  options.spec = Must(ib::PartitionSpec::Builder(schema).Identity("day").Build());
  ib::Table table = Must(catalog.CreateTable({{"db"}, "events"}, schema, options));
  ib::AppendFiles start = table.NewAppend();
  for (const ib::DataFile& file : WriteOne(table, 0, "monday")) start.AppendFile(file);
  const int64_t read_at = *Must(start.Commit()).snapshot_id;

  std::thread first(Append, folder, 100, "monday");
  std::thread second(Append, folder, 200, "tuesday");
  first.join();
  second.join();
  Must(table.Refresh());
  Require(table.Snapshots().size() == 1 + 2 * kAppends, "every append has a snapshot");
  Require(Must(Must(table.NewScan().ReadRows())->All()).size() == 1 + 2 * kAppends,
          "every row is there");

  ib::OverwriteFiles overwrite = table.NewOverwrite();
  overwrite.OverwriteByRowFilter(Equal("day", "monday"))
      .ValidateFromSnapshot(read_at)
      .ConflictDetectionFilter(Equal("day", "monday"))
      .ValidateNoConflictingData()
      .ValidateNoConflictingDeletes();
  for (const ib::DataFile& file : WriteOne(table, 300, "monday")) overwrite.AddFile(file);
  auto refused = overwrite.Commit();
  Require(!refused && refused.error().code == ib::ErrorCode::kConflict, "the overwrite is refused");
  std::printf("%s: %s\n", refused.error().exception.c_str(), refused.error().message.c_str());
  Require(refused.error().message.find("Found conflicting files that can contain records matching "
                                       "ref(name=\"day\") == \"monday\"") != std::string::npos,
          "the error names the filter");
  std::printf("ok\n");
}
