#include "plan/analyzer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/fake_resolver.h"
#include "plan/plan_printer.h"

namespace iceblink::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AnalyzerTest : public ::testing::Test {
 protected:
  AnalyzerTest() {
    resolver_.AddTable("orders", "order_id INT, customer STRING, total DECIMAL(10,2)");
    resolver_.AddTable("emp", "id INT, name STRING, dep STRING, sal INT, mgr INT");
    resolver_.AddTable("dep", "dep STRING, floor INT");
    resolver_.AddTable("n", "id INT, p STRUCT<x: DOUBLE, y: DOUBLE>, d DATE, ts TIMESTAMP");
    resolver_.AddView("v", "SELECT id, sal * 2 AS twice FROM demo.db.emp");
  }

  Result<PlanPtr> Analyze(const std::string& sql) {
    auto query = sql::ParseQuery(sql);
    if (!query) return Fail(query.error());
    Analyzer analyzer(resolver_);
    return analyzer.AnalyzeQuery(**query);
  }
  // Column names and types of a query, or its error.
  std::vector<std::string> Columns(const std::string& sql) {
    auto plan = Analyze(sql);
    if (!plan) return {plan.error().message};
    std::vector<std::string> columns;
    for (const Column& column : (*plan)->output)
      columns.push_back(column.name + " : " + column.type.SimpleString());
    return columns;
  }
  std::string Plan(const std::string& sql) {
    auto plan = Analyze(sql);
    return plan ? PrintPlan(*plan) : plan.error().message;
  }
  std::string ErrorOf(const std::string& sql) {
    auto plan = Analyze(sql);
    return plan ? "no error" : plan.error().message.substr(0, plan.error().message.find('\n'));
  }

  FakeResolver resolver_;
};

TEST_F(AnalyzerTest, NamesOfExpressionsAreSparks) {
  EXPECT_THAT(Columns("SELECT count(*), 1 + 2, 3 div 2, 'a' || 'b', CAST('10' AS INT), NOT true, 1 "
                      "<> 2, 5 BETWEEN 1 AND 10"),
              ElementsAre("count(1) : bigint", "(1 + 2) : int", "(3 div 2) : bigint",
                          "concat(a, b) : string", "CAST(10 AS INT) : int", "(NOT true) : boolean",
                          "(NOT (1 = 2)) : boolean", "between(5, 1, 10) : boolean"));
  EXPECT_THAT(Columns("SELECT round(2.5), ceil(1.2), power(2, 10), substring('abc', 2), lpad('7', "
                      "3), date('2026-01-01')"),
              ElementsAre("round(2.5, 0) : decimal(2,0)", "CEIL(1.2) : decimal(2,0)",
                          "POWER(2, 10) : double", "substring(abc, 2, 2147483647) : string",
                          "lpad(7, 3,  ) : string", "2026-01-01 : date"));
  EXPECT_THAT(
      Columns("SELECT sum(x) OVER (ORDER BY x), avg(x) OVER () FROM VALUES (1.10BD) AS t(x)"),
      ElementsAre(
          "sum(x) OVER (ORDER BY x ASC NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT "
          "ROW) : "
          "decimal(13,2)",
          "avg(x) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) : decimal(7,6)"));
  EXPECT_THAT(Columns("SELECT transform(array(1, 2), x -> x * 10), CASE 1 WHEN 1.0 THEN 'eq' END, "
                      "if(true, 1, 2L)"),
              ElementsAre("transform(array(1, 2), lambdafunction((namedlambdavariable() * 10), "
                          "namedlambdavariable())) : "
                          "array<int>",
                          "CASE WHEN (1 = 1.0) THEN eq END : string", "(IF(true, 1, 2)) : bigint"));
}

TEST_F(AnalyzerTest, DecimalArithmetic) {
  EXPECT_THAT(
      Columns("SELECT 1.5 / 3, 1.5 * 1.25, CAST(1 AS DECIMAL(38,0)) / 3, 2 % 1.8, CAST(1 AS "
              "DECIMAL(10,2)) / "
              "CAST(3 AS DECIMAL(10,2))"),
      ElementsAre("(1.5 / 3) : decimal(7,6)", "(1.5 * 1.25) : decimal(6,3)",
                  "(CAST(1 AS DECIMAL(38,0)) / 3) : decimal(38,6)", "(2 % 1.8) : decimal(2,1)",
                  "(CAST(1 AS DECIMAL(10,2)) / CAST(3 AS DECIMAL(10,2))) : decimal(23,13)"));
}

TEST_F(AnalyzerTest, FilterGoesIntoTheScanAndColumnsArePruned) {
  EXPECT_EQ(Plan("SELECT name FROM demo.db.emp WHERE id = 3 AND upper(dep) = 'X'"),
            "Project [name#2 AS name#11]\n"
            "  Filter and(=(id#1, 3), =(upper(dep#3), 'X'))\n"
            "    Scan demo.db.emp [id#1, name#2, dep#3] filter=ref(name=\"id\") == 3\n");
  EXPECT_THAT(Plan("SELECT _file FROM demo.db.emp"), HasSubstr("Scan demo.db.emp [_file#6]"));
  EXPECT_THAT(Plan("SELECT twice FROM v WHERE id > 7"), HasSubstr("filter=ref(name=\"id\") > 7"));
}

TEST_F(AnalyzerTest, GroupingAndOrdering) {
  EXPECT_EQ(Plan("SELECT dep AS d, count(*) FROM demo.db.emp GROUP BY d HAVING count(*) > 1 ORDER "
                 "BY max(sal) DESC, 1"),
            "Project [d#14 AS d#17, count(1)#15 AS count(1)#18]\n"
            "  Sort [max(sal)#16 DESC NULLS LAST, d#14 ASC NULLS FIRST]\n"
            "    Project [dep#3 AS d#14, count#12 AS count(1)#15, max#13 AS max(sal)#16]\n"
            "      Filter >(count#12, cast(1 as bigint))\n"
            "        Aggregate [dep#3 AS dep#3] [count(1) AS count#12, max(sal#4) AS max#13]\n"
            "          Scan demo.db.emp [dep#3, sal#4]\n");
  EXPECT_THAT(Plan("SELECT dep, mgr, grouping_id() FROM demo.db.emp GROUP BY ROLLUP (dep, mgr)"),
              HasSubstr("sets [(0,1) (0) ()]"));
}

TEST_F(AnalyzerTest, JoinsAndSubqueries) {
  EXPECT_THAT(Columns("SELECT * FROM demo.db.emp NATURAL JOIN demo.db.dep"),
              ElementsAre("dep : string", "id : int", "name : string", "sal : int", "mgr : int",
                          "floor : int"));
  EXPECT_THAT(Plan("SELECT name FROM demo.db.emp e WHERE sal = (SELECT max(sal) FROM demo.db.emp x "
                   "WHERE x.dep = e.dep)"),
              HasSubstr("scalar{"));
  EXPECT_THAT(Columns("SELECT e.id, x.v FROM demo.db.emp e, LATERAL (SELECT e.sal * 2 AS v) x"),
              ElementsAre("id : int", "v : int"));
  EXPECT_THAT(Columns("SELECT * FROM (SELECT dep, sal, mgr FROM demo.db.emp) PIVOT (sum(sal) FOR "
                      "mgr IN (1 AS one, 4 AS four))"),
              ElementsAre("dep : string", "one : bigint", "four : bigint"));
  EXPECT_THAT(Columns("WITH a AS (SELECT dep, sum(sal) AS s FROM demo.db.emp GROUP BY dep), b AS "
                      "(SELECT max(s) AS m FROM a) "
                      "SELECT a.* FROM a JOIN b ON a.s = b.m"),
              ElementsAre("dep : string", "s : bigint"));
}

TEST_F(AnalyzerTest, ErrorsReadAsSparks) {
  EXPECT_EQ(ErrorOf("SELECT oder_id FROM demo.db.orders"),
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with "
            "name `oder_id` cannot be "
            "resolved. Did you mean one of the following? [`order_id`, `total`, `customer`]. "
            "SQLSTATE: 42703; line 1 pos 7;");
  EXPECT_EQ(ErrorOf("SELECT x.customer FROM demo.db.orders o"),
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with "
            "name `x`.`customer` cannot be "
            "resolved. Did you mean one of the following? [`o`.`customer`, `o`.`total`, "
            "`o`.`order_id`]. SQLSTATE: 42703; line "
            "1 pos 7;");
  EXPECT_EQ(
      ErrorOf(
          "SELECT order_id FROM demo.db.orders a JOIN demo.db.orders b ON a.order_id = b.order_id"),
      "[AMBIGUOUS_REFERENCE] Reference `order_id` is ambiguous, could be: [`a`.`order_id`, "
      "`b`.`order_id`]. SQLSTATE: "
      "42704; line 1 pos 7");
  EXPECT_EQ(ErrorOf("SELECT * FROM demo.db.orders WHERE order_id = array(1)"),
            "[DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES] Cannot resolve \"(order_id = array(1))\" due "
            "to data type mismatch: the "
            "left and right operands of the binary operator have incompatible types (\"INT\" and "
            "\"ARRAY<INT>\"). SQLSTATE: "
            "42K09; line 1 pos 35;");
  EXPECT_EQ(ErrorOf("SELECT customer, sum(total) FROM demo.db.orders GROUP BY order_id"),
            "[MISSING_AGGREGATION] The non-aggregating expression \"customer\" is based on columns "
            "which are not participating "
            "in the GROUP BY clause.");
  EXPECT_EQ(ErrorOf("SELECT abs(1, 2)"),
            "[WRONG_NUM_ARGS.WITHOUT_SUGGESTION] The `abs` requires 1 parameters but the actual "
            "number is 2. Please, refer to "
            "'https://spark.apache.org/docs/latest/sql-ref-functions.html' for a fix. SQLSTATE: "
            "42605; line 1 pos 7");
  EXPECT_EQ(ErrorOf("SELECT 1 UNION SELECT 1, 2"),
            "[NUM_COLUMNS_MISMATCH] UNION can only be performed on inputs with the same number of "
            "columns, but the first input "
            "has 1 columns and the second input has 2 columns. SQLSTATE: 42826; line 1 pos 0;");
  EXPECT_THAT(ErrorOf("SELECT * FROM demo.db.nope"),
              StartsWith("[TABLE_OR_VIEW_NOT_FOUND] The table or view `demo`.`db`.`nope`"));
  EXPECT_THAT(ErrorOf("SELECT sum(sum(total)) FROM demo.db.orders"),
              StartsWith("[NESTED_AGGREGATE_FUNCTION]"));
}

TEST_F(AnalyzerTest, PredicatesThatATableDoesNotTake) {
  int32_t id = 0;
  auto type = ToIcebergType(*sql::ParseTableSchema("id INT, data STRING"), [&id] { return ++id; });
  const spec::Schema schema(type->AsStruct().fields);
  auto where = [&](const char* text) {
    Analyzer analyzer(resolver_);
    auto filter = analyzer.AnalyzePredicate(**sql::ParseExpression(text), schema);
    return filter ? filter->ToString() : filter.error().message;
  };
  EXPECT_EQ(where("id = 1"), "ref(name=\"id\") == 1");
  EXPECT_THAT(where("substr(data, 2) = 'fo'"), StartsWith("Cannot convert Spark filter: "));
  EXPECT_THAT(where("id + 1 = 2"), StartsWith("Cannot convert Spark filter: "));
  EXPECT_THAT(where("reverse(data) = 'fo'"), StartsWith("Cannot translate Spark expression: "));
  EXPECT_THAT(where("substr(encode(data, 'utf-8'), 2) = X'66'"),
              StartsWith("Cannot translate Spark expression: "));
  EXPECT_THAT(where("nosuch = 1"), StartsWith("[UNRESOLVED_COLUMN"));
}

// ---- row changes
// ------------------------------------------------------------------------------------------------------

class RowChangeTest : public ::testing::Test {
 protected:
  RowChangeTest() {
    resolver_.AddTable("t", "id INT, dep STRING, sal INT", "dep");
    resolver_.AddTable("s", "id INT, dep STRING, sal INT");
    resolver_.AddTable("m", "id INT NOT NULL, p STRUCT<a: INT, b: STRING>", "", 3);
  }

  std::string Run(const std::string& sql) {
    auto parsed = sql::ParseStatement(sql);
    if (!parsed) return parsed.error().message;
    Analyzer analyzer(resolver_);
    auto rows = [](const Result<RowLevelPlan>& plan) {
      return plan ? PrintRowLevel(*plan)
                  : plan.error().message.substr(0, plan.error().message.find('\n'));
    };
    if (const auto* node = parsed->As<sql::Delete>()) return rows(analyzer.AnalyzeDelete(*node));
    if (const auto* node = parsed->As<sql::Update>()) return rows(analyzer.AnalyzeUpdate(*node));
    if (const auto* node = parsed->As<sql::Merge>()) return rows(analyzer.AnalyzeMerge(*node));
    auto plan = analyzer.AnalyzeInsert(*parsed->As<sql::Insert>());
    return plan ? PrintInsert(*plan)
                : plan.error().message.substr(0, plan.error().message.find('\n'));
  }

  FakeResolver resolver_;
};

TEST_F(RowChangeTest, InsertStoresByPositionListAndName) {
  EXPECT_EQ(Run("INSERT INTO demo.db.t VALUES (1, 'a', 2L)"),
            "Insert demo.db.t append\n"
            "Project [col1#1 AS id#4, col2#2 AS dep#5, store_cast(col3#3 as int) AS sal#6]\n"
            "  Values (1, 'a', 2)\n");
  EXPECT_THAT(
      Run("INSERT INTO demo.db.t (sal, id) VALUES (5, DEFAULT)"),
      HasSubstr("Project [store_cast(col2#2 as int) AS id#3, NULL AS dep#4, col1#1 AS sal#5]"));
  EXPECT_THAT(Run("INSERT INTO demo.db.t BY NAME SELECT 'x' AS dep, 3 AS id"),
              HasSubstr("AS sal#"));
  EXPECT_THAT(Run("INSERT INTO demo.db.m VALUES (NULL, named_struct('a', 1, 'b', 'x'))"),
              HasSubstr("assert_not_null(store_cast(col1"));
  EXPECT_EQ(Run("INSERT INTO demo.db.t VALUES ('x', 'e', 1)"),
            "[INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for "
            "the table `demo`.`db`.`t`: "
            "Cannot safely cast `id` \"STRING\" to \"INT\". SQLSTATE: KD000");
  EXPECT_EQ(Run("INSERT INTO demo.db.t VALUES (5, 'e')"),
            "[INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS] Cannot write to "
            "`demo`.`db`.`t`, the reason is not enough "
            "data columns:");
}

TEST_F(RowChangeTest, OverwriteFilters) {
  EXPECT_THAT(Run("INSERT OVERWRITE demo.db.t PARTITION (dep = 'hr') SELECT 1, 2"),
              StartsWith("Insert demo.db.t overwrite by filter ref(name=\"dep\") == \"hr\""));
  EXPECT_THAT(Run("INSERT OVERWRITE demo.db.t VALUES (1, 'a', 2)"),
              StartsWith("Insert demo.db.t overwrite by filter true"));
  resolver_.mutable_settings().dynamic_partition_overwrite = true;
  EXPECT_THAT(Run("INSERT OVERWRITE demo.db.t VALUES (1, 'a', 2)"),
              StartsWith("Insert demo.db.t overwrite dynamic"));
  EXPECT_EQ(Run("INSERT OVERWRITE demo.db.t PARTITION (id = 1) SELECT 1, 1"),
            "[NON_PARTITION_COLUMN] PARTITION clause cannot contain the non-partition column: "
            "`id`. SQLSTATE: 42000");
}

TEST_F(RowChangeTest, DeleteFilterIsExactOnlyWhenEverythingConverts) {
  EXPECT_THAT(Run("DELETE FROM demo.db.t WHERE dep = 'hr' AND id > 5"),
              HasSubstr("filter (ref(name=\"dep\") == \"hr\" and ref(name=\"id\") > 5) exact"));
  EXPECT_THAT(Run("DELETE FROM demo.db.t WHERE dep = 'hr' AND id % 2 = 0"),
              HasSubstr("filter ref(name=\"dep\") == \"hr\"\n"));
  EXPECT_THAT(Run("DELETE FROM demo.db.t"), HasSubstr("on - filter true exact"));
  EXPECT_THAT(Run("DELETE FROM demo.db.t WHERE id <> 3"), HasSubstr("not_null(ref(name=\"id\"))"));
}

TEST_F(RowChangeTest, UpdateAssignsColumnsAndFields) {
  EXPECT_THAT(Run("UPDATE demo.db.t SET sal = sal + 1 WHERE dep = 'hr'"),
              HasSubstr("matched if - update [id#1, dep#2, +(sal#3, 1)]"));
  EXPECT_THAT(Run("UPDATE demo.db.m SET p.a = 5"), HasSubstr("named_struct('a', 5, 'b', "));
  EXPECT_EQ(Run("UPDATE demo.db.t SET sal = sal * 2, sal = 3"),
            "[DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS] Cannot resolve \"sal = "
            "(sal * 2)\", \"sal = 3\" due to "
            "data type mismatch: ");
  EXPECT_THAT(Run("UPDATE demo.db.t SET nosuch = 1"),
              HasSubstr("[`sal`, `dep`, `id`]. SQLSTATE: 42703; line 1 pos 21;"));
}

TEST_F(RowChangeTest, MergeClauses) {
  EXPECT_EQ(
      Run("MERGE INTO demo.db.t t USING demo.db.s s ON t.id = s.id AND t.dep = 'hr' WHEN MATCHED "
          "AND s.sal IS NULL THEN "
          "DELETE WHEN MATCHED THEN UPDATE SET t.sal = s.sal WHEN NOT MATCHED THEN INSERT *"),
      "Merge demo.db.t on and(=(id#1, id#9), =(dep#2, 'hr')) filter ref(name=\"dep\") == \"hr\"\n"
      "  matched if isnull(sal#11) delete []\n"
      "  matched if - update [id#1, dep#2, sal#11]\n"
      "  not matched if - insert [id#9, dep#10, sal#11]\n"
      "Scan demo.db.t [id#1, dep#2, sal#3, _file#4, _pos#5, _spec_id#7] filter=ref(name=\"dep\") "
      "== \"hr\"\n"
      "Scan demo.db.s [id#9, dep#10, sal#11]\n");
  EXPECT_EQ(Run("MERGE INTO demo.db.t t USING demo.db.s s ON t.id = s.id WHEN MATCHED THEN UPDATE "
                "SET nosuch = 1"),
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with "
            "name `nosuch` cannot be "
            "resolved. Did you mean one of the following? [`dep`, `id`, `sal`]. SQLSTATE: 42703; "
            "line 1 pos 85");
  EXPECT_EQ(
      Run("MERGE INTO demo.db.t t USING demo.db.s s ON t.id = s.nosuch WHEN MATCHED THEN DELETE"),
      "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name "
      "`s`.`nosuch` cannot be "
      "resolved. Did you mean one of the following? [`s`.`sal`, `s`.`dep`, `t`.`id`, `s`.`id`, "
      "`t`.`sal`]. SQLSTATE: "
      "42703; line 1 pos 51;");
}

}  // namespace
}  // namespace iceblink::plan
