"""Kinds of faults that engines of this field had, as small statements: each case is (name, statements, query, rows).

The last statement of `statements` may be a pair (statement, error kind): it must fail so.
"""
import pytest

from iceblink import Iceblink, SqlError

MOR = "TBLPROPERTIES ('write.delete.mode'='merge-on-read','write.update.mode'='merge-on-read','write.merge.mode'='merge-on-read')"

CASES = [
    # ---- queries
    ("LATERAL VIEWs without FROM stand on one row", [], "SELECT * LATERAL VIEW explode(array(1, 2)) AS a LATERAL VIEW explode(array(a, 5)) AS b ORDER BY a, b",
     [[1, 1], [1, 5], [2, 2], [2, 5]]),
    ("integers as bytes, most significant first", ["SET spark.sql.ansi.enabled=false"],
     "SELECT hex(CAST(CAST(-1 AS TINYINT) AS BINARY)), hex(CAST(258S AS BINARY)), hex(CAST(-2 AS BINARY)), hex(CAST(1L AS BINARY))",
     [["FF", "0102", "FFFFFFFE", "0000000000000001"]]),
    # ---- row changes
    ("a NULL is not matched by a comparison", ["CREATE TABLE t (i INT) USING iceberg", "INSERT INTO t VALUES (1), (2), (NULL)",
     "DELETE FROM t WHERE i = 2"], "SELECT i FROM t ORDER BY i", [[None], [1]]),
    ("star clauses match by name", ["CREATE TABLE t (v INT, id INT, dep STRING) USING iceberg", "INSERT INTO t VALUES (10, 1, 'a')",
     "MERGE INTO t USING (SELECT 1 AS id, 77 AS v, 'b' AS dep UNION ALL SELECT 2, 88, 'c') s ON t.id = s.id "
     "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"], "SELECT id, v, dep FROM t ORDER BY id", [[1, 77, "b"], [2, 88, "c"]]),
    ("rows beside a changed one keep their NULLs", ["CREATE TABLE t (id INT, at TIMESTAMP) USING iceberg",
     "INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES (1, TIMESTAMP '2026-01-01 00:00:00'), (6, CAST(NULL AS TIMESTAMP)) AS v(id, at)",
     "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = TIMESTAMP '2026-02-02 00:00:00'"],
     "SELECT * FROM t ORDER BY id", [[1, "2026-02-02 00:00:00"], [6, None]]),
    ("null-safe keys with a target predicate", ["CREATE TABLE t (a INT, b INT, f INT) USING iceberg", "INSERT INTO t VALUES (1, NULL, 100), (2, 2, 300)",
     "MERGE INTO t USING (SELECT 1 AS a, CAST(NULL AS INT) AS b, 1 AS f UNION ALL SELECT 2, 2, 2) s ON s.a <=> t.a AND s.b <=> t.b AND t.f < 200 "
     "WHEN NOT MATCHED THEN INSERT *"], "SELECT a, b, f FROM t ORDER BY a, f", [[1, None, 100], [2, 2, 2], [2, 2, 300]]),
    ("an omitted NOT NULL column is refused", ["CREATE TABLE t (id INT, m STRING NOT NULL) USING iceberg",
     ("MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)", None)],
     "SELECT count(*) FROM t", [[0]]),
    ("MERGE into an empty table", ["CREATE TABLE t (id INT, v INT) USING iceberg",
     "MERGE INTO t USING (SELECT 1 AS id, 2 AS v) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT * "
     "WHEN NOT MATCHED BY SOURCE THEN DELETE"], "SELECT * FROM t", [[1, 2]]),
    ("copy-on-write after merge-on-read keeps deleted rows deleted", [f"CREATE TABLE t (id INT) USING iceberg {MOR}",
     "INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(4)", "DELETE FROM t WHERE id = 1",
     "ALTER TABLE t SET TBLPROPERTIES ('write.delete.mode'='copy-on-write')", "DELETE FROM t WHERE id = 2"],
     "SELECT id FROM t ORDER BY id", [[0], [3]]),
    ("files older than a column are deleted from by physical position", [f"CREATE TABLE t (id INT) USING iceberg {MOR}",
     "INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(3)", "ALTER TABLE t ADD COLUMN x INT",
     "INSERT INTO t VALUES (10, 1), (11, 2)", "DELETE FROM t WHERE id IN (1, 10)"], "SELECT id, x FROM t ORDER BY id", [[0, None], [2, None], [11, 2]]),
    ("a filter beside a position delete", [f"CREATE TABLE t (id INT) USING iceberg {MOR}", "INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES (4), (5), (6)",
     "DELETE FROM t WHERE id = 5"], "SELECT id FROM t WHERE id IN (4, 5, 6) ORDER BY id", [[4], [6]]),
    ("delete files over several data files", [f"CREATE TABLE t (a INT) USING iceberg {MOR}", "INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(10)",
     "INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(10, 20)", "DELETE FROM t WHERE a % 2 = 0", "DELETE FROM t WHERE a % 3 = 0"],
     "SELECT a FROM t ORDER BY a", [[1], [5], [7], [11], [13], [17], [19]]),
    ("deletes in later row groups", [f"CREATE TABLE t (id BIGINT, pad STRING) USING iceberg {MOR.replace('(', '(' + chr(39) + 'write.parquet.row-group-size-bytes' + chr(39) + '=' + chr(39) + '100000' + chr(39) + ',', 1)}",
     "INSERT INTO t SELECT id, repeat(CAST(id AS STRING), 20) FROM range(150000)", "DELETE FROM t WHERE id % 10 = 7"],
     "SELECT count(*), count_if(id % 10 = 7), max(id) FROM t", [[135000, 0, 149999]]),
    ("time travel between two deletes", [f"CREATE TABLE t (id INT) USING iceberg {MOR}", "INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(100)",
     "DELETE FROM t WHERE id < 50", "ALTER TABLE t CREATE TAG half", "DELETE FROM t WHERE id >= 80"], "SELECT count(*) FROM t VERSION AS OF 'half'", [[50]]),
    ("deletes on a branch start from the branch", [f"CREATE TABLE t (id INT) USING iceberg {MOR}", "INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(6)",
     "ALTER TABLE t CREATE BRANCH b", "DELETE FROM t WHERE id = 0", "DELETE FROM d.t.branch_b WHERE id = 1"],
     "SELECT (SELECT count(*) FROM t), (SELECT sum(id) FROM d.t.branch_b)", [[5, 14]]),
    ("an overwrite of a branch stays there", ["CREATE TABLE t (id INT) USING iceberg", "INSERT INTO t VALUES (1)", "ALTER TABLE t CREATE BRANCH b",
     "INSERT OVERWRITE d.t.branch_b VALUES (2), (3)"], "SELECT (SELECT sum(id) FROM t), (SELECT sum(id) FROM d.t.branch_b)", [[1, 5]]),
    ("dynamic overwrite of an unpartitioned table replaces it", ["CREATE TABLE t (id INT) USING iceberg", "INSERT INTO t VALUES (1)",
     "SET spark.sql.sources.partitionOverwriteMode=dynamic", "INSERT OVERWRITE t VALUES (2)"], "SELECT * FROM t", [[2]]),
    ("rows written before a spec change are updated", [f"CREATE TABLE t (id INT, at TIMESTAMP) USING iceberg PARTITIONED BY (days(at)) {MOR}",
     "INSERT INTO t VALUES (1, TIMESTAMP '2026-01-01 01:00:00'), (2, TIMESTAMP '2026-01-01 02:00:00')",
     "ALTER TABLE t REPLACE PARTITION FIELD days(at) WITH hours(at)", "UPDATE t SET id = 20 WHERE id = 2"], "SELECT id FROM t ORDER BY id", [[1], [20]]),
    # ---- refs and maintenance
    ("fast-forward of main on a table that was empty", ["CREATE TABLE t (id INT) USING iceberg", "ALTER TABLE t CREATE BRANCH b", "INSERT INTO d.t.branch_b VALUES (1)",
     "CALL system.fast_forward('t', 'main', 'b')"], "SELECT * FROM t", [[1]]),
    ("expiry keeps what a tag reaches", ["CREATE TABLE t (id INT) USING iceberg", "INSERT INTO t VALUES (1)", "ALTER TABLE t CREATE TAG keep", "INSERT OVERWRITE t VALUES (2)",
     "CALL system.expire_snapshots(table => 't', older_than => TIMESTAMP '2126-01-01 00:00:00')"], "SELECT (SELECT max(id) FROM t VERSION AS OF 'keep'), (SELECT max(id) FROM t)", [[1, 2]]),
    ("rollback to the current snapshot does nothing", ["CREATE TABLE t (id INT) USING iceberg", "INSERT INTO t VALUES (1)"], "SELECT count(*) FROM d.t.snapshots", [[1]]),
    ("compaction drops no row of a large file", ["CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('read.split.target-size'='10000')", "INSERT INTO t SELECT id FROM range(300000)",
     "INSERT INTO t VALUES (-1)", "INSERT INTO t VALUES (-2)", "CALL system.rewrite_data_files(table => 't', options => map('rewrite-all', 'true'))"],
     "SELECT count(*), count(DISTINCT id) FROM t", [[300002, 300002]]),
    # ---- evolution
    ("a renamed column filters old files", ["CREATE TABLE t (c0 INT) USING iceberg", "INSERT INTO t VALUES (1), (2)", "ALTER TABLE t RENAME COLUMN c0 TO c1"],
     "SELECT c1 FROM t WHERE c1 = 2", [[2]]),
    ("a dropped and re-added column starts empty", ["CREATE TABLE t (id INT, v INT) USING iceberg", "INSERT INTO t VALUES (1, 7)", "ALTER TABLE t DROP COLUMN v", "ALTER TABLE t ADD COLUMN v INT",
     "INSERT INTO t VALUES (2, 8)"], "SELECT id, v FROM t WHERE v IS NULL OR v = 8 ORDER BY id", [[1, None], [2, 8]]),
    ("a re-added struct reads nothing old", ["CREATE TABLE t (id INT, a STRUCT<x: INT>) USING iceberg", "INSERT INTO t VALUES (1, named_struct('x', 5))", "ALTER TABLE t DROP COLUMN a",
     "ALTER TABLE t ADD COLUMN a STRUCT<x: INT>"], "SELECT a FROM t", [[None]]),
    ("nested fields follow their ids", ["CREATE TABLE t (id INT, s STRUCT<a: INT, b: INT>) USING iceberg", "INSERT INTO t VALUES (1, named_struct('a', 1, 'b', 2))",
     "ALTER TABLE t ADD COLUMN s.c INT FIRST", "ALTER TABLE t DROP COLUMN s.a", "INSERT INTO t VALUES (2, named_struct('c', 3, 'b', 4))"], "SELECT s.b, s.c FROM t ORDER BY id", [[2, None], [4, 3]]),
    ("containers added later are NULL in old rows", ["CREATE TABLE t (id INT) USING iceberg", "INSERT INTO t VALUES (1)", "ALTER TABLE t ADD COLUMN m MAP<STRING, INT>", "ALTER TABLE t ADD COLUMN l ARRAY<INT>",
     "INSERT INTO t VALUES (2, map('k', 1), array(1))"], "SELECT id, m['k'], l FROM t ORDER BY id", [[1, None, None], [2, 1, [1]]]),
    ("promoted types are filtered by value", ["CREATE TABLE t (i INT, f FLOAT, d DECIMAL(5,2)) USING iceberg", "INSERT INTO t VALUES (1, 0.5, 1.25), (3, 1.5, 2.50)", "ALTER TABLE t ALTER COLUMN i TYPE BIGINT",
     "ALTER TABLE t ALTER COLUMN f TYPE DOUBLE", "ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(12,2)", "INSERT INTO t VALUES (5000000000, 2.5, 1234567.00)"],
     "SELECT i FROM t WHERE i > 2 AND f > 1.0 AND d >= 2.50 ORDER BY i", [[3], [5000000000]]),
    # ---- values and partitions
    ("IN with values beyond the type", ["CREATE TABLE t (id INT) USING iceberg", "INSERT INTO t VALUES (35), (36)"], "SELECT id FROM t WHERE id IN (35, 2147483648)", [[35]]),
    ("truncate near the smallest value", ["CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (truncate(10000, id))", "INSERT INTO t VALUES (-2147483648), (5)"], "SELECT id FROM t WHERE id < 0", [[-2147483648]]),
    ("a delete above a bound spares truncated values that wrapped", ["CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (truncate(10000, id))",
     "INSERT INTO t VALUES (-9223372036854775808), (5), (20005)", "DELETE FROM t WHERE id >= 10000"], "SELECT id FROM t ORDER BY id", [[-9223372036854775808], [5]]),
    ("hours beyond the int range", ["CREATE TABLE t (at TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (hours(at))",
     "INSERT INTO t SELECT CAST(x AS TIMESTAMP_NTZ) FROM VALUES ('+250000-01-01 00:00:00'), ('2026-01-01 00:00:00') AS v(x)", "DELETE FROM t WHERE at < TIMESTAMP_NTZ '2026-01-02 00:00:00'"],
     "SELECT count(*) FROM t WHERE at > TIMESTAMP_NTZ '2026-01-02 00:00:00'", [[1]]),
    ("partitions before 1970", ["CREATE TABLE t (at TIMESTAMP) USING iceberg PARTITIONED BY (days(at))", "INSERT INTO t VALUES (TIMESTAMP '1969-12-25 10:00:00'), (TIMESTAMP '2026-01-01 00:00:00')"],
     "SELECT count(*) FROM t WHERE at < TIMESTAMP '1970-01-01 00:00:00'", [[1]]),
    ("a filter inside a day partition", ["CREATE TABLE t (at TIMESTAMP) USING iceberg PARTITIONED BY (days(at))",
     "INSERT INTO t VALUES (TIMESTAMP '2026-01-01 01:00:00'), (TIMESTAMP '2026-01-01 05:00:00')"], "SELECT count(*) FROM t WHERE at < TIMESTAMP '2026-01-01 03:00:00'", [[1]]),
    ("temporal transforms are UTC in every zone", ["SET spark.sql.session.timeZone=America/Chicago", "CREATE TABLE t (at TIMESTAMP) USING iceberg PARTITIONED BY (days(at))",
     "INSERT INTO t VALUES (TIMESTAMP '2026-01-01 23:30:00')"], "SELECT CAST(partition.at_day AS STRING), (SELECT count(*) FROM t WHERE at >= TIMESTAMP '2026-01-01 23:00:00') FROM d.t.partitions", [["2026-01-02", 1]]),
    ("the NULL partition is not the string null", ["CREATE TABLE t (p STRING) USING iceberg PARTITIONED BY (p)", "INSERT INTO t VALUES (NULL), ('null')"],
     "SELECT (SELECT count(*) FROM t WHERE p IS NULL), (SELECT count(*) FROM t WHERE p = 'null'), (SELECT count(*) FROM d.t.partitions)", [[1, 1, 2]]),
    ("binary partitions", ["CREATE TABLE t (b BINARY, id INT) USING iceberg PARTITIONED BY (b)", "INSERT INTO t VALUES (X'00FF', 1), (X'41', 2)"], "SELECT id FROM t WHERE b = X'00FF'", [[1]]),
    ("odd characters in partition values", ["CREATE TABLE t (p STRING, id INT) USING iceberg PARTITIONED BY (p)", "INSERT INTO t VALUES ('a b/c=d%e?f', 1), ('ä☃', 2)"], "SELECT p, id FROM t ORDER BY id", [["a b/c=d%e?f", 1], ["ä☃", 2]]),
    ("odd column names", ["CREATE TABLE t (`#event` INT, `my/data` INT, `a key` INT) USING iceberg PARTITIONED BY (bucket(64, `a key`))", "INSERT INTO t VALUES (1, 2, 3)"],
     "SELECT `#event`, `my/data`, `a key` FROM t WHERE `a key` = 3", [[1, 2, 3]]),
    ("upper bounds of long text", ["CREATE TABLE t (s STRING) USING iceberg", "INSERT INTO t VALUES ('ｆｕｌｌｗｉｄｔｈｔｅｘｔｌｏｎｇｅｒｔｈａｎ１６'), (concat(repeat('a', 15), '\ud7ff', 'b'))"],
     "SELECT count(*) FROM t WHERE s > 'a'", [[2]]),
    ("small decimals are found", ["CREATE TABLE t (d DECIMAL(9,2), e DECIMAL(10,2)) USING iceberg", "INSERT INTO t VALUES (6.59, 3.50), (-2.56, -1.28)"],
     "SELECT count(*) FROM t WHERE d = 6.59 AND e = 3.50 OR d = -2.56", [[2]]),
    ("IS NULL over an expression prunes nothing", ["CREATE TABLE t (v STRING) USING iceberg", "INSERT INTO t VALUES ('foo'), ('bar')"], "SELECT count(*) FROM t WHERE CASE WHEN v = 'foo' THEN 1 END IS NULL", [[1]]),
    ("a filter through a function that keeps no order", ["CREATE TABLE t (pk INT) USING iceberg", "INSERT INTO t SELECT CAST(id AS INT) FROM range(50)"], "SELECT count(*) FROM t WHERE pk % 8 = 2", [[6]]),
    ("min and max of long strings and NaN are exact", ["CREATE TABLE t (s STRING, d DOUBLE) USING iceberg", "INSERT INTO t VALUES ('abcdefghijklmnopqrstuvwxyz', double('NaN')), ('zzzzzzzzzzzzzzzzzzzzzzzzzz', 1.0)"],
     "SELECT min(s), max(s), min(d), max(d) FROM t", [["abcdefghijklmnopqrstuvwxyz", "z" * 26, 1.0, "NaN"]]),
    ("dropping a column of an old spec", ["CREATE TABLE t (id INT, day DATE, at TIMESTAMP) USING iceberg PARTITIONED BY (day)", "INSERT INTO t VALUES (1, DATE '2026-01-01', TIMESTAMP '2026-01-01 00:00:00')",
     "ALTER TABLE t REPLACE PARTITION FIELD day WITH days(at)", "ALTER TABLE t DROP COLUMN day"], "SELECT id FROM t", [[1]]),
    ("a v1 table that dropped a partition field", ["CREATE TABLE t (id INT, n INT) USING iceberg PARTITIONED BY (n) TBLPROPERTIES ('format-version'='1')", "INSERT INTO t VALUES (1, 1)", "ALTER TABLE t DROP PARTITION FIELD n",
     "INSERT INTO t VALUES (2, 2)"], "SELECT id FROM t WHERE n IN (1, 2) ORDER BY id", [[1], [2]]),
]


@pytest.mark.parametrize("name, statements, query, want", CASES, ids=[c[0] for c in CASES])
def test_kind(tmp_path, name, statements, query, want):
    with Iceblink(tmp_path, **{"spark.sql.defaultCatalog": "local"}) as session:
        session.run("CREATE NAMESPACE d")
        session.run("USE local.d")
        for statement in statements:
            if isinstance(statement, tuple):
                with pytest.raises(SqlError) as caught:
                    session.run(statement[0])
                assert statement[1] in (None, caught.value.kind)
            else:
                session.run(statement.replace("CALL system.", "CALL local.system."))
        assert session.run(query) == want
