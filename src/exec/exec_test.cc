// Plans made by hand through the Executor: queries, errors, writing and reading back.
#include <gtest/gtest.h>

#include <filesystem>

#include "exec/executor.h"
#include "spec/single_value.h"

namespace iceblink::exec {
namespace {

using plan::Column;
using plan::DataType;
using plan::Expr;
using plan::ExprPtr;
using plan::Plan;
using plan::PlanPtr;
using sql::TypeKind;

ExprPtr Make(Expr::Node node, DataType type) {
  return std::make_shared<const Expr>(Expr{std::move(node), std::move(type)});
}
ExprPtr Int(int32_t v) { return Make(plan::LiteralExpr{Value(v)}, TypeKind::kInt); }
ExprPtr Big(int64_t v) { return Make(plan::LiteralExpr{Value(v)}, TypeKind::kBigInt); }
ExprPtr Text(const char* v) { return Make(plan::LiteralExpr{Value(v)}, TypeKind::kString); }
ExprPtr Ref(const Column& c) { return Make(plan::ColumnRef{c.id, c.name}, c.type); }
ExprPtr Call(std::string_view f, std::vector<ExprPtr> args, DataType type) {
  return Make(plan::Call{f, std::move(args)}, std::move(type));
}
ExprPtr CastTo(ExprPtr child, DataType type, plan::CastMode mode = plan::CastMode::kAnsi) {
  return Make(plan::Cast{std::move(child), mode, ""}, std::move(type));
}
PlanPtr Node(Plan::Node node, std::vector<Column> output) {
  return std::make_shared<const Plan>(Plan{std::move(node), std::move(output)});
}
PlanPtr OneRow(std::vector<ExprPtr> values) {
  std::vector<Column> columns;
  for (size_t i = 0; i < values.size(); ++i) {
    columns.push_back({static_cast<plan::ColumnId>(i + 1), "c", values[i]->type, true});
  }
  return Node(plan::Values{{std::move(values)}}, std::move(columns));
}

class ExecutorTest : public testing::Test {
 protected:
  Result<std::vector<ValueList>> Rows(const PlanPtr& plan) {
    auto cursor = executor_.Query(plan, context_);
    if (!cursor) return Fail(cursor.error());
    std::vector<ValueList> out;
    while (true) {
      auto rows = (*cursor)->Next();
      if (!rows) return Fail(rows.error());
      if (rows->empty()) return out;
      out.insert(out.end(), rows->begin(), rows->end());
    }
  }
  // The value of an expression without columns.
  Value Eval(const ExprPtr& expr) {
    auto rows = Rows(OneRow({expr}));
    EXPECT_TRUE(rows.has_value()) << (rows ? "" : rows.error().message);
    return rows && rows->size() == 1 ? rows->at(0).at(0) : Value("failed");
  }
  Error Failure(const ExprPtr& expr) {
    auto rows = Rows(OneRow({expr}));
    return rows ? Error::Make(ErrorCode::kInternal, "no error") : rows.error();
  }

  Executor executor_{{.threads = 2}};
  StatementContext context_;
};

TEST_F(ExecutorTest, SelectsOne) { EXPECT_EQ(Eval(Int(1)), Value(int32_t{1})); }

TEST_F(ExecutorTest, ArithmeticRaisesSparksErrors) {
  Error error = Failure(Call("+", {Int(2147483647), Int(1)}, TypeKind::kInt));
  EXPECT_EQ(error.condition, "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(error.sql_state, "22003");
  EXPECT_EQ(error.message,
            "[ARITHMETIC_OVERFLOW] integer overflow. Use 'try_add' to tolerate overflow and return "
            "NULL instead. If "
            "necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this error. SQLSTATE: "
            "22003");
  auto one = CastTo(Int(1), TypeKind::kDouble), zero = CastTo(Int(0), TypeKind::kDouble);
  EXPECT_EQ(Failure(Call("/", {one, zero}, TypeKind::kDouble)).condition, "DIVIDE_BY_ZERO");
  EXPECT_TRUE(Eval(Call("try_divide", {one, zero}, TypeKind::kDouble)).is_null());
  EXPECT_EQ(Failure(Call("%", {Int(1), Int(0)}, TypeKind::kInt)).condition, "REMAINDER_BY_ZERO");
  // The instance survives errors.
  EXPECT_EQ(Eval(Int(7)), Value(int32_t{7}));
}

TEST_F(ExecutorTest, DecimalDivisionRoundsHalfUp) {
  auto one = Make(plan::LiteralExpr{Value(Decimal{100, 2})}, DataType::Decimal(10, 2));
  auto three = Make(plan::LiteralExpr{Value(Decimal{300, 2})}, DataType::Decimal(10, 2));
  Value third = Eval(Call("/", {one, three}, DataType::Decimal(23, 13)));
  EXPECT_EQ(third, Value(Decimal{3333333333333, 13}));
}

TEST_F(ExecutorTest, CastsAsSpark) {
  EXPECT_EQ(Eval(CastTo(Text(" 12 "), TypeKind::kInt)), Value(int32_t{12}));
  EXPECT_EQ(Failure(CastTo(Text("abc"), TypeKind::kInt)).message,
            "[CAST_INVALID_INPUT] The value 'abc' of the type \"STRING\" cannot be cast to \"INT\" "
            "because it is malformed. "
            "Correct the value as per the syntax, or change its target type. Use `try_cast` to "
            "tolerate malformed input and "
            "return NULL instead. SQLSTATE: 22018");
  EXPECT_EQ(Failure(CastTo(Big(3000000000), TypeKind::kInt)).message,
            "[CAST_OVERFLOW] The value 3000000000L of the type \"BIGINT\" cannot be cast to "
            "\"INT\" due to an overflow. Use "
            "`try_cast` to tolerate overflow and return NULL instead. SQLSTATE: 22003");
  EXPECT_TRUE(Eval(CastTo(Text("abc"), TypeKind::kInt, plan::CastMode::kTry)).is_null());
  auto number = Make(plan::LiteralExpr{Value(1e20)}, TypeKind::kDouble);
  EXPECT_EQ(Eval(CastTo(number, TypeKind::kString)), Value("1.0E20"));
  auto fraction = Make(plan::LiteralExpr{Value(-1.9)}, TypeKind::kDouble);
  EXPECT_EQ(Eval(CastTo(fraction, TypeKind::kInt)), Value(int32_t{-1}));
  EXPECT_EQ(Eval(CastTo(Text("2026-3"), TypeKind::kDate)), Value(int32_t{20513}));
}

TEST_F(ExecutorTest, TimestampsFollowTheSessionZone) {
  context_.time_zone = "America/New_York";
  Value instant = Eval(CastTo(Text("2026-07-01 00:00:00"), TypeKind::kTimestamp));
  EXPECT_EQ(instant, Value(int64_t{1782878400000000}));
  auto literal = Make(plan::LiteralExpr{instant}, TypeKind::kTimestamp);
  EXPECT_EQ(Eval(CastTo(literal, TypeKind::kString)), Value("2026-07-01 00:00:00"));
}

TEST_F(ExecutorTest, RangeAggregateSortLimit) {
  Column id{1, "id", TypeKind::kBigInt, false}, total{2, "sum", TypeKind::kBigInt, true},
      parity{3, "p", TypeKind::kBigInt, true};
  PlanPtr range = Node(plan::Range{0, 1000000, 1, {}}, {id});
  ExprPtr group = Call("%", {Ref(id), Big(2)}, TypeKind::kBigInt);
  ExprPtr sum = Make(plan::AggregateCall{"sum", {Ref(id)}}, TypeKind::kBigInt);
  PlanPtr aggregate =
      Node(plan::Aggregate{range, {{parity, group}}, {{total, sum}}, {}}, {parity, total});
  PlanPtr sorted = Node(plan::Sort{aggregate, {{Ref(parity), false, false}}}, {parity, total});
  PlanPtr limited = Node(plan::Limit{sorted, 1, 0}, {parity, total});
  auto rows = Rows(limited);
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->at(0)[0], Value(int64_t{1}));
  EXPECT_EQ(rows->at(0)[1], Value(int64_t{250000000000}));
}

// ---- writing and reading an Iceberg table
// ----------------------------------------------------------------------------

class WriterTest : public ExecutorTest {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/exec_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    auto metadata = std::make_shared<spec::TableMetadata>();
    metadata->location = folder_;
    metadata->schemas = {spec::Schema({spec::NestedField::Optional(1, "id", spec::Type::Long()),
                                       spec::NestedField::Optional(2, "name", spec::Type::String()),
                                       spec::NestedField::Optional(3, "x", spec::Type::Double())})};
    metadata->specs = {
        spec::PartitionSpec{},
        spec::PartitionSpec{1, {{1, 1000, "id_bucket", spec::Transform::Bucket(4)}}}};
    metadata->sort_orders = {spec::SortOrder{}};
    metadata->properties["write.parquet.compression-codec"] = "zstd";
    metadata_ = metadata;
  }
  WriteSpec Spec(int32_t spec_id) {
    WriteSpec write;
    write.metadata = metadata_;
    write.schema = std::make_shared<const spec::Schema>(metadata_->schema());
    write.spec_id = spec_id;
    write.operation_id = "op";
    return write;
  }
  // id, name, x for n rows.
  PlanPtr Source(int64_t n) {
    Column id{1, "id", TypeKind::kBigInt, false}, name{2, "name", TypeKind::kString, true},
        x{3, "x", TypeKind::kDouble, true};
    PlanPtr range = Node(plan::Range{0, n, 1, 1}, {id});
    ExprPtr text = Call("concat", {Text("customer-number-"), CastTo(Ref(id), TypeKind::kString)},
                        TypeKind::kString);
    return Node(
        plan::Project{range,
                      {{id, Ref(id)}, {name, text}, {x, CastTo(Ref(id), TypeKind::kDouble)}}},
        {id, name, x});
  }

  std::string folder_;
  spec::TableMetadataPtr metadata_;
};

TEST_F(WriterTest, CountsBoundsAndNames) {
  auto written = executor_.Write(Source(1000), Spec(0), context_);
  ASSERT_TRUE(written.has_value()) << written.error().message;
  ASSERT_EQ(written->data_files.size(), 1u);
  EXPECT_EQ(written->rows, 1000);
  const spec::DataFile& file = written->data_files[0];
  EXPECT_EQ(file.file_path, folder_ + "/data/00000-0-op-00001.parquet");
  EXPECT_EQ(file.record_count, 1000);
  EXPECT_EQ(static_cast<int64_t>(std::filesystem::file_size(file.file_path)),
            file.file_size_in_bytes);
  EXPECT_EQ(*file.value_counts.Find(2), 1000);
  EXPECT_EQ(*file.null_value_counts.Find(1), 0);
  EXPECT_EQ(*file.nan_value_counts.Find(3), 0);
  EXPECT_EQ(*spec::FromBound(spec::Type::Long(), file.upper_bounds.Find(1)->data),
            Value(int64_t{999}));
  EXPECT_EQ(file.lower_bounds.Find(2)->data, "customer-number-");
  EXPECT_EQ(file.upper_bounds.Find(2)->data, "customer-number.");
  EXPECT_EQ(file.split_offsets, std::vector<int64_t>{4});
  EXPECT_GT(*file.column_sizes.Find(1), 0);
}

TEST_F(WriterTest, PartitionsByBucket) {
  auto written = executor_.Write(Source(300000), Spec(1), context_);
  ASSERT_TRUE(written.has_value()) << written.error().message;
  ASSERT_EQ(written->data_files.size(), 4u);
  int64_t rows = 0;
  for (const spec::DataFile& file : written->data_files) {
    rows += file.record_count;
    EXPECT_NE(
        file.file_path.find("/id_bucket=" + std::to_string(file.partition[0].AsInt64()) + "/"),
        std::string::npos);
  }
  EXPECT_EQ(rows, 300000);
}

TEST_F(WriterTest, LeavesNothingAfterAnError) {
  Column id{1, "id", TypeKind::kBigInt, false}, name{2, "name", TypeKind::kString, true},
      x{3, "x", TypeKind::kDouble, true};
  PlanPtr range = Node(plan::Range{0, 500000, 1, 1}, {id});
  ExprPtr late =
      Call("/", {Big(1), Call("-", {Ref(id), Big(499999)}, TypeKind::kBigInt)}, TypeKind::kDouble);
  late = Call("/",
              {CastTo(Big(1), TypeKind::kDouble),
               CastTo(Call("-", {Ref(id), Big(499999)}, TypeKind::kBigInt), TypeKind::kDouble)},
              TypeKind::kDouble);
  PlanPtr source =
      Node(plan::Project{range, {{id, Ref(id)}, {name, Text("n")}, {x, late}}}, {id, name, x});
  auto written = executor_.Write(source, Spec(0), context_);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().condition, "DIVIDE_BY_ZERO");
  size_t files = 0;
  if (std::filesystem::exists(folder_)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
      files += entry.is_regular_file();
  }
  EXPECT_EQ(files, 0u);
}

TEST_F(WriterTest, ReadsBackWhatItWrote) {
  auto written = executor_.Write(Source(1000), Spec(0), context_);
  ASSERT_TRUE(written.has_value());
  plan::FileScan scan{"parquet", {written->data_files[0].file_path}, {}};
  auto columns = executor_.DescribeFiles(scan);
  ASSERT_TRUE(columns.has_value()) << columns.error().message;
  ASSERT_EQ(columns->size(), 3u);
  EXPECT_EQ(columns->at(1).name, "name");
  for (size_t i = 0; i < 3; ++i) columns->at(i).id = static_cast<plan::ColumnId>(i + 1);
  auto rows = Rows(Node(scan, *columns));
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  ASSERT_EQ(rows->size(), 1000u);
  EXPECT_EQ(rows->at(999)[1], Value("customer-number-999"));
}

}  // namespace
}  // namespace iceblink::exec
