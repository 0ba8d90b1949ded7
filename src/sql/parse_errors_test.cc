// Errors of Spark's parser, whole messages: offending token, hint, place, and the text with its
// mark.
#include <gtest/gtest.h>

#include "sql/parser.h"

namespace iceblink::sql {
namespace {

struct ErrorCase {
  std::string_view text;
  std::string_view message;  // empty: not compared
  std::string_view condition;
  std::string_view sql_state;
};

constexpr ErrorCase kErrors[] = {
    {"ALTER TABLE demo.db.t WRITE DISTRIBUTED BY HASH",
     "mismatched input 'HASH' expecting 'PARTITION'\n== SQL ==\nALTER TABLE demo.db.t WRITE DISTRI"
     "BUTED BY HASH",
     "", ""},
    {"ALTER TABLE demo.db.t SET TBLPROPERTIES ('provider'='x')",
     "[UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY] The feature is not supported: provider is a reser"
     "ved table property, please use the USING clause to specify it. SQLSTATE: 0A000\n== SQL (lin"
     "e 1, position 1) ==\nALTER TABLE demo.db.t SET TBLPROPERTIES ('provider'='x')\n^^^^^^^^^^^^^"
     "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
     "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "0A000"},
    {"ALTER TABLE demo.db.t SET TBLPROPERTIES ('location'='/x')",
     "[UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY] The feature is not supported: location is a reser"
     "ved table property, please use the LOCATION clause to specify it. SQLSTATE: 0A000\n== SQL ("
     "line 1, position 1) ==\nALTER TABLE demo.db.t SET TBLPROPERTIES ('location'='/x')\n^^^^^^^^^"
     "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
     "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "0A000"},
    {"CREATE TABLE demo.db.lik LIKE demo.db.src2",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'LIKE'. SQLSTATE: 42601 (line 1, pos 25)\n\n== "
     "SQL ==\nCREATE TABLE demo.db.lik LIKE demo.db.src2\n-------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"CREATE TABLE demo.db.bad_type (t NOTATYPE) USING iceberg",
     "[UNSUPPORTED_DATATYPE] Unsupported data type \"NOTATYPE\". SQLSTATE: 0A000\n== SQL (line 1, p"
     "osition 34) ==\n...REATE TABLE demo.db.bad_type (t NOTATYPE) USING iceberg\n                "
     "                   ^^^^^^^^",
     "UNSUPPORTED_DATATYPE", "0A000"},
    {"MERGE INTO demo.db.t t USING demo.db.s s ON t.id = s.id",
     "[MERGE_WITHOUT_WHEN] There must be at least one WHEN clause in a MERGE statement. SQLSTATE"
     ": 42601\n== SQL (line 1, position 1) ==\nMERGE INTO demo.db.t t USING demo.db.s s ON t.id = "
     "s.id\n^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
     "MERGE_WITHOUT_WHEN", "42601"},
    {"MERGE INTO demo.db.t t USING demo.db.s s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) "
     "VALUES (1, 2)",
     "The number of inserted values cannot match the fields.\n== SQL (line 1, position 1) ==\nMERG"
     "E INTO demo.db.t t USING demo.db.s s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALU"
     "ES (1, 2)\n^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"
     "^^^^^^^^^^^^^^^^^^^^^^^",
     "_LEGACY_ERROR_TEMP_0006", ""},
    {"MERGE INTO demo.db.t t USING (VALUES (7, 70)) AS v(id, sal) ON t.id = v.id WHEN MATCHED TH"
     "EN DELETE",
     "[COLUMN_ALIASES_NOT_ALLOWED] Column aliases are not allowed in MERGE. SQLSTATE: 42601\n== S"
     "QL (line 1, position 1) ==\nMERGE INTO demo.db.t t USING (VALUES (7, 70)) AS v(id, sal) ON "
     "t.id = v.id WHEN MATCHED THEN DELETE\n^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"
     "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
     "COLUMN_ALIASES_NOT_ALLOWED", "42601"},
    {"INSERT WITH SCHEMA EVOLUTION INTO demo.db.t BY NAME SELECT 7 AS id, 'g' AS v, 'seven' AS m"
     "ore",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'WITH'. SQLSTATE: 42601 (line 1, pos 7)\n\n== S"
     "QL ==\nINSERT WITH SCHEMA EVOLUTION INTO demo.db.t BY NAME SELECT 7 AS id, 'g' AS v, 'seven"
     "' AS more\n-------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"ALTER TABLE demo.db.t CREATE TAG bad RETAIN 3 WEEKS",
     "mismatched input 'WEEKS' expecting {'DAYS', 'HOURS', 'MINUTES'}\n== SQL ==\nALTER TABLE demo"
     ".db.t CREATE TAG bad RETAIN 3 WEEKS",
     "", ""},
    {"ALTER TABLE demo.db.t CREATE BRANCH bad WITH SNAPSHOT RETENTION",
     "no viable alternative at input 'WITH SNAPSHOT RETENTION'\n== SQL ==\nALTER TABLE demo.db.t C"
     "REATE BRANCH bad WITH SNAPSHOT RETENTION",
     "", ""},
    {"ALTER TABLE demo.db.t CREATE TAG with-dash",
     "mismatched input '-' expecting {<EOF>, 'AS', 'RETAIN'}\n== SQL ==\nALTER TABLE demo.db.t CRE"
     "ATE TAG with-dash",
     "", ""},
    {"SHOW INDEXES IN demo.db.t",
     "[INVALID_STATEMENT_OR_CLAUSE] The statement or clause: SHOW INDEXES is not valid. SQLSTATE"
     ": 42601\n== SQL (line 1, position 1) ==\nSHOW INDEXES IN "
     "demo.db.t\n^^^^^^^^^^^^^^^^^^^^^^^^^",
     "INVALID_STATEMENT_OR_CLAUSE", "42601"},
    {"SELECT DATE 'nonsense'",
     "[INVALID_TYPED_LITERAL] The value of the typed literal \"DATE\" is invalid: 'nonsense'. SQLS"
     "TATE: 42604\n== SQL (line 1, position 8) ==\nSELECT DATE 'nonsense'\n       ^^^^^^^^^^^^^^^",
     "INVALID_TYPED_LITERAL", "42604"},
    {"SELECT TIMESTAMP '2026-99-01'",
     "[INVALID_TYPED_LITERAL] The value of the typed literal \"TIMESTAMP\" is invalid: '2026-99-01"
     "'. SQLSTATE: 42604\n== SQL (line 1, position 8) ==\nSELECT TIMESTAMP '2026-99-01'\n       ^^^"
     "^^^^^^^^^^^^^^^^^^^",
     "INVALID_TYPED_LITERAL", "42604"},
    {"SELECT X'ZZ'",
     "[INVALID_TYPED_LITERAL] The value of the typed literal \"X\" is invalid: 'ZZ'. SQLSTATE: 426"
     "04\n== SQL (line 1, position 8) ==\nSELECT X'ZZ'\n       ^^^^^",
     "INVALID_TYPED_LITERAL", "42604"},
    {"SELECT FROM demo.db.orders",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near '.'. SQLSTATE: 42601 (line 1, pos 16)\n\n== SQL"
     " ==\nSELECT FROM demo.db.orders\n----------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT * FORM demo.db.orders",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'demo'. SQLSTATE: 42601 (line 1, pos 14)\n\n== "
     "SQL ==\nSELECT * FORM demo.db.orders\n--------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"CREATE TABEL demo.db.x (id INT)",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'TABEL'. SQLSTATE: 42601 (line 1, pos 7)\n\n== "
     "SQL ==\nCREATE TABEL demo.db.x (id INT)\n-------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"CREATE TABLE demo.db.x (id INT",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near end of input. SQLSTATE: 42601 (line 1, pos 30"
     ")\n\n== SQL ==\nCREATE TABLE demo.db.x (id INT\n------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"INSERT demo.db.orders VALUES (1)",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'demo'. SQLSTATE: 42601 (line 1, pos 7)\n\n== S"
     "QL ==\nINSERT demo.db.orders VALUES (1)\n-------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"DELETE demo.db.orders",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'demo': missing 'FROM'. SQLSTATE: 42601 (line"
     " 1, pos 7)\n\n== SQL ==\nDELETE demo.db.orders\n-------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"UPDATE demo.db.orders order_id = 1",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near '='. SQLSTATE: 42601 (line 1, pos 31)\n\n== SQL"
     " ==\nUPDATE demo.db.orders order_id = 1\n-------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"DROP demo.db.orders",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'demo'. SQLSTATE: 42601 (line 1, pos 5)\n\n== S"
     "QL ==\nDROP demo.db.orders\n-----^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"ALTER TABLE demo.db.orders ADD COLUM x INT",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'COLUM'. SQLSTATE: 42601 (line 1, pos 31)\n\n=="
     " SQL ==\nALTER TABLE demo.db.orders ADD COLUM x INT\n-------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"ALTER TABLE demo.db.orders CREATE BRNCH x",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'CREATE'. SQLSTATE: 42601 (line 1, pos 27)\n\n="
     "= SQL ==\nALTER TABLE demo.db.orders CREATE BRNCH x\n---------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"CALL demo.system.expire_snapshots",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near end of input. SQLSTATE: 42601 (line 1, pos 33"
     ")\n\n== SQL ==\nCALL demo.system.expire_snapshots\n---------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT * FROM demo.db.orders VERSION AS 1",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near '1': missing 'OF'. SQLSTATE: 42601 (line 1, p"
     "os 40)\n\n== SQL ==\nSELECT * FROM demo.db.orders VERSION AS "
     "1\n------------------------------"
     "----------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"EXPLAIN nonsense",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'nonsense'. SQLSTATE: 42601 (line 1, pos 8)\n\n"
     "== SQL ==\nEXPLAIN nonsense\n--------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a",
     "[DUPLICATED_CTE_NAMES] CTE definition can't have duplicate names: `a`. SQLSTATE: 42602\n== "
     "SQL (line 1, position 1) ==\nWITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a\n^^^^^^^^"
     "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
     "DUPLICATED_CTE_NAMES", "42602"},
    {"SELECT * FROM VALUES (1), (1, 2)",
     "[INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH] Invalid inline table. Inline table expected 1 "
     "columns but found 2 columns in row 1. SQLSTATE: 42000\n== SQL (line 1, position 15) ==\nSELE"
     "CT * FROM VALUES (1), (1, 2)\n              ^^^^^^^^^^^^^^^^^^",
     "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "42000"},
    {"SELECT 'unterminated",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near '''. SQLSTATE: 42601 (line 1, pos 7)\n\n== SQL "
     "==\nSELECT 'unterminated\n-------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT 5 BETWEEN 1 AND 10, 5 IN (1, NULL), 5 NOT IN (1, NULL), NULL = NULL, NULL <=> NULL,"
     " NULL AND false, NULL OR true, NOT NULL, 1 IS DISTINCT FROM NULL, NULL IS NOT TRUE, true X"
     "OR false",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'false': extra input 'false'. SQLSTATE: 42601"
     " (line 1, pos 183)\n\n== SQL ==\nSELECT 5 BETWEEN 1 AND 10, 5 IN (1, NULL), 5 NOT IN (1, NULL"
     "), NULL = NULL, NULL <=> NULL, NULL AND false, NULL OR true, NOT NULL, 1 IS DISTINCT FROM "
     "NULL, NULL IS NOT TRUE, true XOR false\n---------------------------------------------------"
     "------------------------------------------------------------------------------------------"
     "------------------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT 2147483647 * 2L, 1Y + 1S, 10 / 4L, 5 % 2.5, -5 / 2, 2 ** 3",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near '3': extra input '3'. SQLSTATE: 42601 (line 1"
     ", pos 64)\n\n== SQL ==\nSELECT 2147483647 * 2L, 1Y + 1S, 10 / 4L, 5 % 2.5, -5 / 2, 2 ** "
     "3\n---"
     "-------------------------------------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT name FROM demo.db.emp QUALIFY row_number() OVER (PARTITION BY dep ORDER BY sal DESC"
     ") = 1",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'row_number'. SQLSTATE: 42601 (line 1, pos 37"
     ")\n\n== SQL ==\nSELECT name FROM demo.db.emp QUALIFY row_number() OVER (PARTITION BY dep ORDE"
     "R BY sal DESC) = 1\n-------------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT count(*), sum(id) FROM range(10) TABLESAMPLE (100 PERCENT)",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near '100'. SQLSTATE: 42601 (line 1, pos 53)\n\n== S"
     "QL ==\nSELECT count(*), sum(id) FROM range(10) TABLESAMPLE (100 PERCENT)\n------------------"
     "-----------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT name FROM demo.db.emp e WHERE sal >= ALL (SELECT sal FROM demo.db.emp WHERE sal IS "
     "NOT NULL)",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near '('. SQLSTATE: 42601 (line 1, pos 48)\n\n== SQL"
     " ==\nSELECT name FROM demo.db.emp e WHERE sal >= ALL (SELECT sal FROM demo.db.emp WHERE sal"
     " IS NOT NULL)\n------------------------------------------------^^^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"SELECT * FROM demo.db.t VERSION AS OF NULL",
     "[PARSE_SYNTAX_ERROR] Syntax error at or near 'NULL'. SQLSTATE: 42601 (line 1, pos 38)\n\n== "
     "SQL ==\nSELECT * FROM demo.db.t VERSION AS OF NULL\n--------------------------------------^^"
     "^",
     "PARSE_SYNTAX_ERROR", "42601"},
    {"MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE WHEN MATCHED AND s.b THEN DELET"
     "E",
     "", "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION", "42613"},
};

TEST(ParseErrors, AreSparks) {
  for (const ErrorCase& row : kErrors) {
    const Result<Statement> statement = ParseStatement(row.text);
    ASSERT_FALSE(statement) << row.text;
    const Error& error = statement.error();
    if (!row.message.empty()) {
      EXPECT_EQ(error.message, row.message);
    }
    EXPECT_EQ(error.condition, row.condition) << row.text;
    EXPECT_EQ(error.sql_state, row.sql_state) << row.text;
    EXPECT_EQ(error.code, ErrorCode::kSyntax) << row.text;
    EXPECT_EQ(error.exception,
              IsIcebergStatement(row.text) ? "IcebergParseException" : "ParseException")
        << row.text;
  }
}

TEST(ParseErrors, OfOtherKinds) {
  const ErrorCase cases[] = {
      {"", "", "PARSE_EMPTY_STATEMENT", "42617"},
      {"SELECT /* 1", "", "UNCLOSED_BRACKETED_COMMENT", "42601"},
      {"SELECT * FROM test-table", "", "INVALID_IDENTIFIER", "42602"},
      {"SELECT 128Y", "", "INVALID_NUMERIC_LITERAL_RANGE", "22003"},
      {"CREATE TABLE t (a ARRAY)", "", "INCOMPLETE_TYPE_DEFINITION.ARRAY", "42K01"},
      {"CREATE TABLE t (a CHAR)", "", "DATATYPE_MISSING_SIZE", "42K01"},
      {"CREATE TABLE t (a INT) TBLPROPERTIES ('a' = 1, 'a' = 2)", "", "DUPLICATE_KEY", "23505"},
      {"CREATE TABLE t (a INT) COMMENT 'a' COMMENT 'b'", "", "DUPLICATE_CLAUSES", "42614"},
      {"SET a b = 1", "", "INVALID_SET_SYNTAX", "42000"},
      {"SELECT FOO 'x'", "", "UNSUPPORTED_TYPED_LITERAL", "0A000"},
      {"SELECT a LIKE 'x' ESCAPE 'ab'", "", "INVALID_ESCAPE_CHAR", "42604"},
      {"SELCT 1", "", "PARSE_SYNTAX_ERROR", "42601"},
      {"SELECT 1 2", "", "PARSE_SYNTAX_ERROR", "42601"},
      {"UPDATE t SET", "", "PARSE_SYNTAX_ERROR", "42601"},
      {"WITH a AS (SELECT 1", "", "PARSE_SYNTAX_ERROR", "42601"},
      {"SELECT a FROM t WHERE", "", "", ""},
  };
  for (const ErrorCase& row : cases) {
    const Result<Statement> statement = ParseStatement(row.text);
    if (row.condition.empty()) {
      EXPECT_TRUE(statement) << row.text;  // WHERE is the table's alias
      continue;
    }
    ASSERT_FALSE(statement) << row.text;
    EXPECT_EQ(statement.error().condition, row.condition) << statement.error().message;
    EXPECT_EQ(statement.error().sql_state, row.sql_state) << row.text;
  }
}

}  // namespace
}  // namespace iceblink::sql
