// The library as its users see it: through include/iceblink alone.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <filesystem>

#include "iceblink/iceblink.h"

namespace iceblink {
namespace {

using namespace expressions;

template <typename T>
T Must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

template <typename T>
std::string MessageOf(const Result<T>& result) {
  return result ? "no error" : result.error().exception + ": " + result.error().message;
}

class ApiTest : public testing::Test {
 protected:
  ApiTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "iceblink_api_XXXXXX").string();
    folder = mkdtemp(pattern.data());
    catalog = Must(Catalog::Open(
        "c",
        {{"type", "jdbc"}, {"uri", "jdbc:sqlite:" + folder + "/c.db"}, {"warehouse", folder}}));
    Must(catalog->CreateNamespace({"db"}));
    Schema schema = Must(Schema::Builder()
                             .Required("id", Type::Long())
                             .Optional("dep", Type::String())
                             .Optional("day", Type::Date())
                             .Optional("tags", Type::List(Type::String()))
                             .Build());
    TableOptions options;
    options.spec = Must(PartitionSpec::Builder(schema).Identity("dep").Build());
    table = Must(catalog->CreateTable({{"db"}, "t"}, schema, options));
  }
  ~ApiTest() override { std::filesystem::remove_all(folder); }

  std::vector<DataFile> Write(const std::vector<ValueList>& rows) {
    auto writer = Must(table->NewDataWriter());
    Must(writer->Write(rows));
    return Must(writer->Finish());
  }
  static ValueList Row(int64_t id, const char* dep) { return {id, dep, Value(), Value()}; }
  int64_t Append(const std::vector<ValueList>& rows) {
    AppendFiles append = table->NewAppend();
    for (const DataFile& file : Write(rows)) append.AppendFile(file);
    return *Must(append.Commit()).snapshot_id;
  }
  size_t Count(TableScan scan) { return Must(Must(scan.ReadRows())->All()).size(); }

  std::string folder;
  std::optional<Catalog> catalog;
  std::optional<Table> table;
};

TEST_F(ApiTest, SchemaHasIdsInJavasOrderAndIdentifierFields) {
  Schema schema = Must(Schema::Builder()
                           .Required("id", Type::Long())
                           .Optional("s", Type::Struct({{"a", Type::Int()}, {"b", Type::Int()}}))
                           .Optional("m", Type::Map(Type::String(), Type::Decimal(9, 2)))
                           .IdentifierFields({"id"})
                           .Build());
  EXPECT_EQ(schema.FindField("m")->id, 3);
  EXPECT_EQ(schema.FindField("s.b")->id, 5);
  EXPECT_EQ(schema.FindField("m.value")->id, 7);
  EXPECT_EQ(schema.identifier_fields(), std::vector<std::string>{"id"});
  EXPECT_FALSE(Schema::Builder().Optional("a", Type::Int()).Optional("a", Type::Int()).Build());
}

TEST_F(ApiTest, WriterRoutesRowsAndCountsThem) {
  std::vector<DataFile> files =
      Write({{int64_t{1}, "a", int32_t{20000}, Value::Array({"x", Value()})},
             {int64_t{2}, "b", Value(), Value()},
             {int64_t{3}, "a", int32_t{20001}, Value()}});
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].partition(), (ValueList{"a"}));
  EXPECT_EQ(files[0].record_count(), 2);
  EXPECT_EQ(files[0].metrics().null_value_counts.at(3), 0);
  AppendFiles append = table->NewAppend();
  for (const DataFile& file : files) append.AppendFile(file);
  EXPECT_EQ(Must(append.Commit()).operation, "append");
  auto reader = Must(
      table->NewScan().Filter(And(Equal("dep", "a"), LessThan("day", int32_t{20001}))).ReadRows());
  EXPECT_EQ(reader->columns()[2].type, "date");
  auto rows = Must(reader->All());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0][3].elements().size(), 2u);
}

TEST_F(ApiTest, WriterRefusesWhatDoesNotFit) {
  auto writer = Must(table->NewDataWriter());
  EXPECT_EQ(MessageOf(writer->Write({{Value(), "a", Value(), Value()}})),
            "IllegalArgumentException: Cannot write null to required field: id");
  EXPECT_FALSE(writer->Finish());
  writer = Must(table->NewDataWriter());
  EXPECT_FALSE(writer->Write({{int64_t{1}}}));
  writer = Must(table->NewDataWriter());
  EXPECT_FALSE(writer->Write({{"text", "a", Value(), Value()}}));
}

TEST_F(ApiTest, DroppedWriterLeavesNothing) {
  {
    Must(Must(table->NewDataWriter())->Write({Row(1, "a")}));
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    files += entry.path().extension() == ".parquet";
  EXPECT_EQ(files, 0u);
}

TEST_F(ApiTest, OverwriteNamesTheConflictingFilter) {
  const int64_t read_at = Append({Row(1, "a")});
  Append({Row(2, "a")});
  OverwriteFiles refused = table->NewOverwrite();
  refused.OverwriteByRowFilter(Equal("dep", "a"))
      .ValidateFromSnapshot(read_at)
      .ValidateNoConflictingData();
  auto error = refused.Commit();
  EXPECT_NE(MessageOf(error).find("ValidationException: Found conflicting files that can contain "
                                  "records matching ref(name=\"dep\") == \"a\": ["),
            std::string::npos)
      << MessageOf(error);
  OverwriteFiles overwrite = table->NewOverwrite();
  overwrite.OverwriteByRowFilter(Equal("dep", "a")).ValidateFromSnapshot(read_at);
  overwrite.ConflictDetectionFilter(Equal("dep", "b")).ValidateNoConflictingData();
  for (const DataFile& file : Write({Row(9, "a")})) overwrite.AddFile(file);
  EXPECT_EQ(Must(overwrite.Commit()).summary.at("deleted-records"), "2");
  EXPECT_FALSE(overwrite.Commit()) << "a change commits once";
}

TEST_F(ApiTest, TransactionLandsAsOne) {
  const int64_t first = Append({Row(1, "a")});
  Transaction transaction = table->NewTransaction();
  Must(transaction.UpdateSchema()
           .AddColumn("note", Type::String())
           .RenameColumn("day", "d")
           .Commit());
  Must(transaction.UpdateSpec().AddField("id", Bucket(4)).Commit());
  Must(transaction.UpdateProperties().Set("a", "b").Commit());
  Must(transaction.ManageSnapshots().CreateTag("one", first).CreateBranch("audit", first).Commit());
  EXPECT_FALSE(Must(catalog->LoadTable({{"db"}, "t"})).Refs().contains("one"));
  EXPECT_TRUE(Must(transaction.CommitTransaction()).committed);
  EXPECT_TRUE(table->schema().FindField("note"));
  EXPECT_EQ(table->spec().fields().size(), 2u);
  EXPECT_EQ(table->Refs().size(), 3u);
  EXPECT_FALSE(transaction.CommitTransaction());
}

TEST_F(ApiTest, RefsMoveAndHistoryExpires) {
  const int64_t first = Append({Row(1, "a")});
  const int64_t second = Append({Row(2, "a")});
  AppendFiles audit = table->NewAppend();
  audit.ToBranch("audit");
  for (const DataFile& file : Write({Row(3, "b")})) audit.AppendFile(file);
  Must(audit.Commit());
  EXPECT_EQ(Count(table->NewScan().UseRef("audit")), 3u);
  Must(table->ManageSnapshots().FastForwardBranch("main", "audit").Commit());
  EXPECT_EQ(Count(table->NewScan()), 3u);
  EXPECT_EQ(MessageOf(table->ManageSnapshots().RollbackTo(12345).Commit()),
            "ValidationException: Cannot roll back to unknown snapshot id: 12345");
  Must(table->ManageSnapshots().RollbackTo(second).SetMaxRefAgeMs("audit", 1000).Commit());
  EXPECT_EQ(Count(table->NewScan()), 2u);
  EXPECT_EQ(Count(table->NewScan().UseSnapshot(first)), 1u);
  auto report = Must(table->ExpireSnapshots().ExpireSnapshotId(first).Commit());
  EXPECT_EQ(report.snapshot_ids, std::vector<int64_t>{first});
  EXPECT_FALSE(table->FindSnapshot(first));
}

TEST_F(ApiTest, CreateTransactionAndSession) {
  Transaction create = Must(catalog->NewCreateTableTransaction({{"db"}, "u"}, table->schema()));
  auto writer = Must(create.NewDataWriter());
  Must(writer->Write({Row(1, "a"), Row(2, "b")}));
  AppendFiles append = create.NewAppend();
  for (const DataFile& file : Must(writer->Finish())) append.AppendFile(file);
  Must(append.Commit());
  EXPECT_FALSE(Must(catalog->TableExists({{"db"}, "u"})));
  Must(create.CommitTransaction());
  Session session;
  session.AddCatalog(*catalog);
  Must(session.Sql("DELETE FROM c.db.u WHERE id = 1"));
  auto rows = Must(Must(session.Sql("SELECT count(*) AS n FROM c.db.u"))->All());
  EXPECT_EQ(rows[0][0].As<int64_t>(), 1);
  EXPECT_EQ(session.Sql("SELECT nope FROM c.db.u").error().condition,
            "UNRESOLVED_COLUMN.WITH_SUGGESTION");
}

}  // namespace
}  // namespace iceblink
