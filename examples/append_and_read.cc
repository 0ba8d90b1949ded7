// Makes a table, appends rows and columns to it, reads it back in three ways, and goes back in
// time.
//
//   append_and_read FOLDER
#include <array>
#include <cstdio>

#include "iceblink/iceblink.h"
#include "must.h"

namespace ib = iceblink;
using namespace ib::expressions;

ib::Table MakeTable(const ib::Catalog& catalog) {
  Must(catalog.CreateNamespace({"shop"}));
  ib::Schema schema = Must(ib::Schema::Builder()
                               .Required("id", ib::Type::Long())
                               .Optional("country", ib::Type::String())
                               .Optional("total", ib::Type::Double())
                               .Build());
  ib::TableOptions options;
  options.spec = Must(ib::PartitionSpec::Builder(schema).Identity("country").Build());
  options.properties = {{"write.parquet.compression-codec", "zstd"}};
  return Must(catalog.CreateTable({{"shop"}, "orders"}, schema, options));
}

int64_t AppendRows(const ib::Table& table) {
  auto writer = Must(table.NewDataWriter());
  Must(writer->Write({{int64_t{1}, "DE", 10.5}, {int64_t{2}, "FR", 20.0}, {int64_t{3}, "DE", {}}}));
  ib::AppendFiles append = table.NewAppend();
  for (const ib::DataFile& file : Must(writer->Finish())) append.AppendFile(file);
  return *Must(append.Commit()).snapshot_id;
}

// Columns are borrowed: nothing is copied value by value.
void AppendColumns(const ib::Table& table) {
  const std::array<int64_t, 2> ids{4, 5};
  const std::array<std::string, 2> countries{"DE", "IT"};
  const std::array<double, 2> totals{40, 0};
  const std::array<bool, 2> known{true, false};
  auto writer = Must(table.NewDataWriter());
  Must(writer->WriteColumns({{ids, {}}, {countries, {}}, {totals, known}}));
  ib::AppendFiles append = table.NewAppend();
  for (const ib::DataFile& file : Must(writer->Finish())) append.AppendFile(file);
  Must(append.Commit());
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "/tmp/iceblink-example";
  ib::Catalog catalog = Must(ib::Catalog::Open(
      "c", {{"type", "jdbc"}, {"uri", "jdbc:sqlite:" + folder + "/c.db"}, {"warehouse", folder}}));
  ib::Table table = MakeTable(catalog);
  const int64_t first = AppendRows(table);
  AppendColumns(table);

  auto tasks = Must(table.NewScan().Filter(Equal("country", "DE")).PlanFiles());
  Require(tasks.size() == 2, "two of four files hold German orders");

  auto germans = Must(table.NewScan().Filter(Equal("country", "DE")).Select({"id"}).ReadRows());
  Require(Must(germans->All()).size() == 3, "three German orders");
  auto before = Must(table.NewScan().UseSnapshot(first).ReadRows());
  Require(Must(before->All()).size() == 3, "three orders in the first snapshot");

  ib::Transaction transaction = table.NewTransaction();
  Must(transaction.UpdateSchema().AddColumn("note", ib::Type::String()).Commit());
  Must(transaction.ManageSnapshots().CreateTag("first_day", first).Commit());
  Must(transaction.CommitTransaction());
  Require(table.schema().FindField("note").has_value(), "the table has a new column");

  ib::Session session;
  session.AddCatalog(catalog);
  auto rows =
      Must(session.Sql("SELECT country, count(*) FROM c.shop.orders GROUP BY 1 ORDER BY 1"));
  for (const ib::ValueList& row : Must(rows->All())) {
    std::printf("%s %lld\n", row[0].As<std::string>().c_str(),
                static_cast<long long>(row[1].As<int64_t>()));
  }
  std::printf("ok\n");
}
