#include "sql/parser.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sql/printer.h"

namespace iceblink::sql {
namespace {

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string Printed(std::string_view text) {
  const Result<ExprPtr> expr = ParseExpression(text);
  return expr ? PrintExpression(**expr) : FirstLine(expr.error().message);
}

template <typename T>
T Parsed(std::string_view text) {
  Result<Statement> statement = ParseStatement(text);
  if (!statement) {
    ADD_FAILURE() << text << "\n" << statement.error().message;
    return {};
  }
  const T* node = statement->As<T>();
  if (node == nullptr) ADD_FAILURE() << "another kind of statement: " << text;
  return node ? *node : T{};
}

// --- every statement there and back --------------------------------------------------------------

TEST(RoundTrip, PrintedStatementsParseToEqualTrees) {
  std::ifstream file("src/sql/testdata/statements.sql");
  ASSERT_TRUE(file) << "run from the source folder";
  std::stringstream text;
  text << file.rdbuf();
  StatementSplitter splitter;
  const std::vector<std::string> statements = splitter.Feed(text.str());
  EXPECT_EQ(splitter.Finish(), "");
  EXPECT_GT(statements.size(), 700u);
  for (const std::string& sql : statements) {
    const Result<Statement> first = ParseStatement(sql);
    ASSERT_TRUE(first) << sql << "\n" << first.error().message;
    if (first->As<MultiInsert>() || first->As<UnsupportedStatement>()) continue;
    const std::string printed = PrintStatement(*first);
    const Result<Statement> second = ParseStatement(printed);
    ASSERT_TRUE(second) << sql << "\n" << printed << "\n" << second.error().message;
    EXPECT_TRUE(*first == *second) << sql << "\n" << printed << "\n" << PrintStatement(*second);
  }
}

// --- expressions ---------------------------------------------------------------------------------

struct PrintCase {
  std::string_view text;
  std::string_view printed;
};

class ExpressionPrint : public testing::TestWithParam<PrintCase> {};

TEST_P(ExpressionPrint, Gives) { EXPECT_EQ(Printed(GetParam().text), GetParam().printed); }

INSTANTIATE_TEST_SUITE_P(
    Precedence, ExpressionPrint,
    testing::Values(
        PrintCase{"1 + 2 * 3", "1 + 2 * 3"}, PrintCase{"(1 + 2) * 3", "(1 + 2) * 3"},
        PrintCase{"a or b and not c", "a OR b AND NOT c"}, PrintCase{"not a = b", "NOT a = b"},
        PrintCase{"a & b | c ^ d << 1", "a & b | c ^ d << 1"},
        PrintCase{"(a | b) & c", "(a | b) & c"}, PrintCase{"a - (b - c)", "a - (b - c)"},
        PrintCase{"a >> 1 >>> 2", "a >> 1 >>> 2"}, PrintCase{"a = b is null", "a = b IS NULL"},
        PrintCase{"-a[0]::int", "-CAST(a[0] AS INT)"}, PrintCase{"- 5", "-5"},
        PrintCase{"-(5)", "-(5)"}, PrintCase{"!a", "NOT a"}, PrintCase{"a !> b", "a <= b"},
        PrintCase{"x between 1 and 2 and y", "`x` BETWEEN 1 AND 2 AND y"},
        PrintCase{"a and b and c and d", "(a AND b) AND (c AND d)"},
        PrintCase{"a like 'x%' escape '!'", "a LIKE 'x%' ESCAPE '!'"},
        PrintCase{"a not like any ('x', 'y')", "a NOT LIKE ANY ('x', 'y')"},
        PrintCase{"(a, b) in (select 1, 2)", "STRUCT(a, b) IN (SELECT 1, 2)"}));

INSTANTIATE_TEST_SUITE_P(
    Literals, ExpressionPrint,
    testing::Values(PrintCase{"2147483648", "2147483648L"},
                    PrintCase{"9223372036854775808", "9223372036854775808BD"},
                    PrintCase{"1.50", "1.50BD"}, PrintCase{"1e0", "1D"}, PrintCase{".5", "0.5BD"},
                    PrintCase{"3y", "3Y"}, PrintCase{"'a''b' \"c\"", R"('a\'bc')"},
                    PrintCase{R"('\t\u0041\\')", "'\tA\\\\'"}, PrintCase{R"(r'a\n')", R"('a\\n')"},
                    PrintCase{"x'1f'", "X'1F'"}, PrintCase{"date'2020-2-9'", "DATE '2020-02-09'"},
                    PrintCase{"timestamp_ntz '2020-01-01 1:2:3.5'",
                              "TIMESTAMP_NTZ '2020-01-01 01:02:03.5'"},
                    PrintCase{"timestamp '2020-01-01'", "TIMESTAMP '2020-01-01'"},
                    PrintCase{"interval 1 day 2 hours", "INTERVAL '1 02' DAY TO HOUR"},
                    PrintCase{"interval '1-2' year to month", "INTERVAL '1-2' YEAR TO MONTH"},
                    PrintCase{"interval -3 weeks", "INTERVAL '-21' DAY"},
                    PrintCase{"interval '1.5' second", "INTERVAL '01.5' SECOND"},
                    PrintCase{"interval '2 months'", "INTERVAL '2' MONTH"}));

INSTANTIATE_TEST_SUITE_P(
    Forms, ExpressionPrint,
    testing::Values(PrintCase{"extract(year from d)", "EXTRACT(`year` FROM d)"},
                    PrintCase{"position('a' in b)", "locate('a', b)"},
                    PrintCase{"substring(s from 2 for 3)", "`substring`(s, 2, 3)"},
                    PrintCase{"trim(both 'x' from s)", "TRIM(BOTH 'x' FROM s)"},
                    PrintCase{"trim(s)", "`trim`(s)"},
                    PrintCase{"timestampadd(day, 1, d)", "timestampadd(DAY, 1, d)"},
                    PrintCase{"date_add(d, 1)", "`date_add`(d, 1)"},
                    PrintCase{"current_date", "`current_date`()"},
                    PrintCase{"x -> x + 1", "`x` -> `x` + 1"},
                    PrintCase{"f(a => 1, b => (p, q) -> p)", "f(a => 1, b => (p, q) -> p)"},
                    PrintCase{"count(distinct a, b) filter (where c) over (partition by d order by "
                              "e rows 1 preceding)",
                              "count(DISTINCT a, b) FILTER (WHERE c) OVER (PARTITION BY d ORDER BY "
                              "e ASC ROWS BETWEEN 1 PRECEDING "
                              "AND CURRENT ROW)"},
                    PrintCase{"first(a ignore nulls)", "`first`(a) IGNORE NULLS"},
                    PrintCase{"s.f.g", "s.f.g"}, PrintCase{"f(x).y[1]", "f(`x`).y[1]"},
                    PrintCase{"v:a.b[0]", "v:a.b[0]"}, PrintCase{"`a``b`.c", "`a``b`.c"},
                    PrintCase{"case a when 1 then 2 else 3 end", "CASE a WHEN 1 THEN 2 ELSE 3 END"},
                    PrintCase{"t.* except (a)", "t.* EXCEPT (a)"},
                    PrintCase{"identifier('a.b')", "a.b"},
                    PrintCase{"exists(select 1)", "EXISTS (SELECT 1)"},
                    PrintCase{"exists(a, x -> x > 1)", "`exists`(a, `x` -> `x` > 1)"},
                    PrintCase{"((select 1) union (select 2))", "((SELECT 1) UNION (SELECT 2))"}));

TEST(Literals, HaveSparksTypes) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"1", "int"},
      {"1L", "bigint"},
      {"1S", "smallint"},
      {"1Y", "tinyint"},
      {"1.5", "decimal(2,1)"},
      {"0.05", "decimal(2,2)"},
      {"100.", "decimal(3,0)"},
      {"1e3BD", "decimal(4,0)"},
      {"1.5F", "float"},
      {"1d", "double"},
      {"null", "void"},
      {"true", "boolean"},
      {"interval 3 months", "interval month"},
      {"interval 1 year 2 months", "interval year to month"},
      {"interval '1 2:3:4' day to second", "interval day to second"},
      {"time '12:30'", "time(6)"}};
  for (const auto& [text, type] : cases) {
    const Result<ExprPtr> expr = ParseExpression(text);
    ASSERT_TRUE(expr) << text;
    ASSERT_TRUE((*expr)->As<Literal>()) << text;
    EXPECT_EQ((*expr)->As<Literal>()->type.SimpleString(), type) << text;
  }
}

TEST(Types, PrintAsSparkDoes) {
  const std::tuple<std::string_view, std::string_view, std::string_view> cases[] = {
      {"dec(5)", "decimal(5,0)", "DECIMAL(5,0)"},
      {"array<array<int>>", "array<array<int>>", "ARRAY<ARRAY<INT>>"},
      {"map<string, struct<a: int not null, `b c`: long>>", "map<string,struct<a:int,b c:bigint>>",
       "MAP<STRING, STRUCT<a: INT NOT NULL, `b c`: BIGINT>>"},
      {"interval day to second", "interval day to second", "INTERVAL DAY TO SECOND"},
      {"timestamp without time zone", "timestamp_ntz", "TIMESTAMP_NTZ"},
      {"varchar(10)", "varchar(10)", "VARCHAR(10)"},
      {"geometry(4326)", "geometry(4326)", "GEOMETRY(4326)"},
      {"struct<>", "struct<>", "STRUCT<>"}};
  for (const auto& [text, simple, sql] : cases) {
    const Result<DataType> type = ParseDataType(text);
    ASSERT_TRUE(type) << text << type.error().message;
    EXPECT_EQ(type->SimpleString(), simple);
    EXPECT_EQ(type->SqlString(), sql);
    EXPECT_EQ(*ParseDataType(sql), *type);
  }
  EXPECT_EQ(ParseTableSchema("a INT NOT NULL, b STRING COMMENT 'x'")->SqlString(),
            "STRUCT<a: INT NOT NULL, b: STRING COMMENT 'x'>");
}

TEST(ColumnNames, OfUnaliasedItems) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"count(*)", "count(1)"},
      {"1 + 2", "(1 + 2)"},
      {"3 div 2", "(3 div 2)"},
      {"1 == 1", "(1 = 1)"},
      {"not true", "(NOT true)"},
      {"x is null", "(x IS NULL)"},
      {"0.5 between 0.1 and 1.0", "between(0.5, 0.1, 1.0)"},
      {"1 in (1, 2)", "(1 IN (1, 2))"},
      {"'Spark' like '_park'", "Spark LIKE _park"},
      {"cast('10' as int)", "CAST(10 AS INT)"},
      {"a.b", "b"},
      {"f(x).y", "y"},
      {"case when 1 < 0 then 1 else 2 end", "CASE WHEN (1 < 0) THEN 1 ELSE 2 END"},
      {"arr[0]", "arr[0]"},
      {"date '2019-08-12'", "DATE '2019-08-12'"},
      {"X'CAFE'", "X'CAFE'"},
      {"null", "NULL"}};
  for (const auto& [text, name] : cases)
    EXPECT_EQ(ColumnName(**ParseExpression(text)), name) << text;
}

// --- statements ----------------------------------------------------------------------------------

TEST(Statements, KeepTheirParts) {
  const auto insert = Parsed<Insert>(
      "INSERT OVERWRITE TABLE a.b WITH (`k` = 'v') PARTITION (p = 1, q) IF NOT EXISTS (x, y) "
      "SELECT 1, 2");
  EXPECT_TRUE(insert.overwrite && insert.if_not_exists);
  EXPECT_EQ(insert.table, (Name{"a", "b"}));
  EXPECT_EQ(insert.partition.size(), 2u);
  EXPECT_EQ(insert.columns, (std::vector<std::string>{"x", "y"}));

  const auto merge = Parsed<Merge>(
      "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED AND s.d THEN DELETE WHEN NOT MATCHED BY "
      "TARGET THEN INSERT * "
      "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET a = 1");
  ASSERT_EQ(merge.clauses.size(), 3u);
  EXPECT_EQ(merge.clauses[1].action, MergeClause::Action::kInsertAll);
  EXPECT_EQ(merge.clauses[2].match, MergeClause::Match::kNotMatchedBySource);

  const auto create = Parsed<CreateTable>(
      "CREATE OR REPLACE TABLE c.t (id INT NOT NULL COMMENT 'k', s STRUCT<a: INT>) USING iceberg "
      "PARTITIONED BY (bucket(4, id), s.a) "
      "LOCATION '/x' TBLPROPERTIES ('a.b' = 'c', d.e = 2) COMMENT 'hi'");
  EXPECT_EQ(create.mode, CreateTable::Mode::kCreateOrReplace);
  EXPECT_EQ(PrintTransform(std::get<Transform>(create.partitioning[0])), "`bucket`(4, id)");
  EXPECT_EQ(create.properties[1].first, "d.e");

  const auto view = Parsed<CreateView>("CREATE VIEW v (a COMMENT 'x') AS  SELECT 1 -- one\n ;");
  EXPECT_EQ(view.query_text, "SELECT 1");
  EXPECT_EQ(Parsed<AlterView>("ALTER VIEW v AS SELECT 2").name, Name{"v"});
}

TEST(Statements, SetTakesRawText) {
  EXPECT_EQ(*Parsed<SetConfig>("SET spark.wap.id = a b; ").value, "a b");
  EXPECT_EQ(*Parsed<SetConfig>("set x=batch-2026-07-04").value, "batch-2026-07-04");
  EXPECT_EQ(*Parsed<SetConfig>("SET `k=1` = `v;2`").key, "k=1");
  EXPECT_EQ(*Parsed<SetConfig>("SET `k=1` = `v;2`").value, "v;2");
  EXPECT_FALSE(Parsed<SetConfig>("SET spark.x").value.has_value());
  EXPECT_TRUE(Parsed<SetConfig>("SET -v").verbose);
  EXPECT_EQ(Parsed<SetTimeZone>("SET TIME ZONE 'Europe/Paris'").zone, "Europe/Paris");
  EXPECT_EQ(*Parsed<Reset>("RESET a.b").key, "a.b");
  EXPECT_EQ(Parsed<SetVariable>("SET VAR x = 1").assignments.size(), 1u);
}

TEST(Statements, IcebergExtensions) {
  const auto change = [](std::string_view text) { return Parsed<AlterTable>(text).change; };
  const auto branch =
      std::get<PutRef>(change("ALTER TABLE t CREATE OR REPLACE BRANCH `b-1` AS OF VERSION 5 RETAIN "
                              "7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 HOURS"));
  EXPECT_EQ(branch.name, "b-1");
  EXPECT_TRUE(branch.create && branch.replace && !branch.tag);
  EXPECT_EQ(branch.max_ref_age_ms, 7 * 86'400'000);
  EXPECT_EQ(branch.min_snapshots_to_keep, 2);
  EXPECT_EQ(branch.max_snapshot_age_ms, 3 * 3'600'000);
  const auto write = std::get<WriteOrder>(change(
      "alter table t write distributed by partition locally ordered by a desc, bucket(4, b)"));
  EXPECT_EQ(write.distribution, "hash");
  EXPECT_FALSE(write.order[0].nulls_first);
  EXPECT_EQ(std::get<WriteOrder>(change("ALTER TABLE t WRITE ORDERED BY a")).distribution, "range");
  EXPECT_EQ(std::get<WriteOrder>(change("ALTER TABLE t WRITE LOCALLY ORDERED BY a")).distribution,
            "");
  EXPECT_EQ(std::get<AddPartitionField>(
                change("ALTER TABLE t ADD /* new */ PARTITION FIELD days(ts) AS d"))
                .name,
            "d");
  EXPECT_EQ(std::get<DropIdentifierFields>(change("ALTER TABLE t DROP IDENTIFIER FIELDS a, s.b"))
                .fields[1],
            (Name{"s", "b"}));
  EXPECT_EQ((*ParseSortOrder("zorder(a, b)"))[0].transform.args.size(), 2u);
  EXPECT_FALSE(IsIcebergStatement("SELECT 'alter table x create branch y'"));
}

TEST(Statements, PipesBecomeQueries) {
  const auto query = Parsed<QueryStatement>(
      "FROM t |> WHERE a > 1 |> AGGREGATE count(*) AS n GROUP BY b |> ORDER BY b");
  EXPECT_EQ(PrintQuery(*query.query),
            "(SELECT b, count(*) AS n FROM (SELECT * FROM (SELECT * FROM t) WHERE a > 1) GROUP BY "
            "b ORDER BY b ASC)");
}

TEST(Statements, PositionsPointAtNodes) {
  const auto query = Parsed<QueryStatement>("SELECT a,\n  b.c + 1 FROM t");
  const auto& select = std::get<Select>(query.query->body->node);
  const Position& at = select.items[1].expr->position;
  EXPECT_EQ(at.line, 2);
  EXPECT_EQ(at.column, 2);
  EXPECT_EQ(at.stop - at.start, 7);
}

// --- splitting -----------------------------------------------------------------------------------

TEST(Splitter, KeepsSemicolonsOfStringsAndComments) {
  StatementSplitter splitter;
  const auto first =
      splitter.Feed("SELECT ';', \";\", `;`, r'\\'; -- a;b\n/* ; /* ; */ */ ;SELECT 'it''s;'");
  EXPECT_EQ(first, (std::vector<std::string>{"SELECT ';', \";\", `;`, r'\\'"}));
  EXPECT_TRUE(splitter.pending());
  EXPECT_EQ(splitter.Feed(", 1;").at(0), "SELECT 'it''s;', 1");
  EXPECT_EQ(splitter.Feed("  ; -- nothing\n;").size(), 0u);
  EXPECT_EQ(splitter.Feed("SELECT 1 - 2 / 3").size(), 0u);
  EXPECT_EQ(splitter.Finish(), "SELECT 1 - 2 / 3");
}

// --- bounds --------------------------------------------------------------------------------------

TEST(Bounds, DeepNestingIsRefusedNotFatal) {
  const std::string condition = "FAILED_TO_PARSE_TOO_COMPLEX";
  const auto repeat = [](std::string_view piece, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += piece;
    return out;
  };
  const std::string deep[] = {
      "SELECT " + repeat("(", 20000) + "1" + repeat(")", 20000),
      "SELECT " + repeat("NOT ", 20000) + "a",
      "SELECT " + repeat("- ", 20000) + "a",
      "SELECT " + repeat("f(", 20000),
      "SELECT " + repeat("a[", 20000),
      "SELECT 1" + repeat(" + 1", 20000),
      "SELECT a" + repeat("::int", 20000),
      "SELECT * FROM " + repeat("(", 20000) + "t",
      "SELECT " + repeat("(SELECT ", 20000),
      "SELECT 1" + repeat(" UNION ALL SELECT 1", 20000),
      "FROM t" + repeat(" |> WHERE a", 20000),
      "SELECT CAST(a AS " + repeat("ARRAY<", 20000),
  };
  for (const std::string& text : deep) {
    const Result<Statement> statement = ParseStatement(text);
    ASSERT_FALSE(statement) << text.substr(0, 40);
    EXPECT_EQ(statement.error().condition, condition)
        << text.substr(0, 40) << statement.error().message.substr(0, 200);
  }
  EXPECT_TRUE(ParseStatement("SELECT a = 1" + repeat(" OR a = 1", 20000)));
  EXPECT_TRUE(ParseStatement("SELECT a IN (1" + repeat(", 1", 20000) + ")"));
  EXPECT_TRUE(ParseStatement("SELECT " + repeat("(", 60) + "1" + repeat(")", 60)));
}

}  // namespace
}  // namespace iceblink::sql
