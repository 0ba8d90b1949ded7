"""Tables pass between Iceblink, Spark and PyIceberg through one SQLite catalog file. Run by `make interop`."""
import csv
import datetime
import glob
import itertools
import os
import pathlib
import shutil

import pyarrow.parquet as pq
import pytest

pyspark = pytest.importorskip("pyspark", reason="needs .venv-spark (make interop)")
from pyiceberg.catalog.sql import SqlCatalog  # noqa: E402

from equality_deletes import delete_equal  # noqa: E402
from iceblink import Iceblink, jdbc  # noqa: E402

JARS = pathlib.Path(__file__).resolve().parent.parent.parent / ".venv-spark/jars"
numbers = itertools.count()


@pytest.fixture(scope="module")
def spark():
    os.environ["TZ"] = "UTC"
    from pyspark.sql import SparkSession
    session = (SparkSession.builder.master("local[2]").config("spark.jars", ",".join(glob.glob(f"{JARS}/*.jar")))
               .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
               .config("spark.sql.session.timeZone", "UTC").config("spark.ui.enabled", "false").getOrCreate())
    yield session
    session.stop()


@pytest.fixture
def lake(tmp_path, spark):
    """(Iceblink session, Spark SQL function, PyIceberg catalog) over one catalog file; the catalog's name is new each time."""
    name = f"lake{next(numbers)}"
    (tmp_path / "warehouse").mkdir()
    settings = jdbc(tmp_path, name)
    for key, value in settings.items():
        spark.conf.set(key, value)
    spark.conf.set(f"spark.sql.catalog.{name}.cache-enabled", "false")

    def sql(text):
        return [list(row) for row in spark.sql(text.replace("db.", f"{name}.db.") if "CALL" not in text else text.replace("CALL ", f"CALL {name}.")).collect()]

    with Iceblink(tmp_path, **settings) as session:
        session.run("CREATE NAMESPACE db")
        yield session, sql, SqlCatalog(name, uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/warehouse")


@pytest.mark.parametrize("version, mode", [(1, "copy-on-write"), (2, "copy-on-write"), (2, "merge-on-read")])
def test_spark_reads_and_continues_what_iceblink_wrote(lake, version, mode):
    session, sql, python = lake
    properties = ", ".join(f"'write.{op}.mode'='{mode}'" for op in ("delete", "update", "merge"))
    session.run("CREATE TABLE db.t (id INT, v STRING, at TIMESTAMP) USING iceberg PARTITIONED BY (days(at)) "
                f"TBLPROPERTIES ('format-version'='{version}', {properties})")
    session.run("INSERT INTO db.t SELECT CAST(id AS INT), concat('v', id), TIMESTAMP '2026-07-01 00:00:00' + make_interval(0,0,0,CAST(id % 3 AS INT)) FROM range(30)")
    session.run("DELETE FROM db.t WHERE id % 7 = 0")
    session.run("UPDATE db.t SET v = 'new' WHERE id % 5 = 0")
    session.run("MERGE INTO db.t t USING (SELECT CAST(id AS INT) AS id FROM range(25, 35)) s ON t.id = s.id WHEN MATCHED THEN DELETE "
                "WHEN NOT MATCHED THEN INSERT (id, v, at) VALUES (s.id, 'merged', TIMESTAMP '2026-07-09 00:00:00')")
    session.run("ALTER TABLE db.t CREATE BRANCH audit")
    session.run("ALTER TABLE db.t RENAME COLUMN v TO label")
    session.run("ALTER TABLE db.t ADD COLUMN n INT")
    session.run("ALTER TABLE db.t ADD PARTITION FIELD bucket(2, id)")
    session.run("INSERT INTO db.t VALUES (100, 'last', TIMESTAMP '2026-07-10 00:00:00', 1)")
    query = "SELECT id, label, at, n FROM db.t ORDER BY id"
    want = sql(query)
    assert [[r[0], r[1]] for r in session.run(query)] == [[r[0], r[1]] for r in want]
    assert sorted(r["id"] for r in python.load_table("db.t").scan().to_arrow().to_pylist()) == [r[0] for r in want]
    assert session.run("SELECT name, type FROM db.t.refs ORDER BY name") == sql("SELECT name, type FROM db.t.refs ORDER BY name")
    assert session.run("SELECT count(*) FROM db.t.branch_audit") == sql("SELECT count(*) FROM db.t.branch_audit")
    sql("DELETE FROM db.t WHERE id = 1")
    sql("INSERT INTO db.t VALUES (200, 'spark', TIMESTAMP '2026-07-11 00:00:00', 2)")
    assert session.run("SELECT count(*), max(id) FROM db.t") == [[len(want), 200]]
    session.run("DELETE FROM db.t WHERE id = 2")
    assert sql("SELECT count(*) FROM db.t") == [[len(want) - 1]]


@pytest.mark.parametrize("version", [2, 3])
def test_iceblink_reads_and_maintains_what_spark_wrote(lake, version):
    session, sql, _ = lake
    sql("CREATE TABLE db.s (id BIGINT, v STRING, p INT) USING iceberg PARTITIONED BY (p) TBLPROPERTIES "
        f"('format-version'='{version}', 'write.delete.mode'='merge-on-read', 'write.merge.mode'='merge-on-read')")
    for i in range(3):
        sql(f"INSERT INTO db.s SELECT id, concat('v', id), CAST(id % 2 AS INT) FROM range({i * 20}, {i * 20 + 20})")
    sql("DELETE FROM db.s WHERE id % 3 = 0")
    sql("DELETE FROM db.s WHERE id % 4 = 0")
    query = "SELECT id, v, p FROM db.s ORDER BY id"
    assert session.run(query) == sql(query)
    assert session.run("SELECT content, file_format, count(*) FROM db.s.delete_files GROUP BY 1, 2") == sql(
        "SELECT content, file_format, count(*) FROM db.s.delete_files GROUP BY 1, 2")
    if version == 3:
        return
    session.run("MERGE INTO db.s t USING (SELECT id FROM range(50, 70)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'merged' "
                "WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, 'new', 0)")
    assert session.run(query) == sql(query)
    session.run("CALL system.rewrite_data_files(table => 'db.s', options => map('min-input-files', '2', 'delete-file-threshold', '1'))")
    session.run("CALL system.expire_snapshots(table => 'db.s', older_than => TIMESTAMP '2126-01-01 00:00:00')")
    assert session.run(query) == sql(query)
    assert sql("SELECT count(*) FROM db.s.snapshots") == [[1]]


def test_equality_deletes_hide_the_same_rows_from_spark(lake):
    session, sql, python = lake
    session.run("CREATE TABLE db.t (id INT, v STRING) USING iceberg")
    session.run("INSERT INTO db.t SELECT CAST(id AS INT), IF(id % 5 = 0, NULL, concat('v', id % 3)) FROM range(40)")
    table = python.load_table("db.t")
    delete_equal(table, {"id": [2, 77, 13]})
    session.run("INSERT INTO db.t VALUES (2, 'again'), (100, NULL)")
    delete_equal(table, {"v": [None]})
    delete_equal(table, {"id": [7, 8], "v": ["v1", "v1"]})
    query = "SELECT id, v FROM db.t ORDER BY id"
    assert session.run(query) == sql(query)
    session.run("UPDATE db.t SET v = 'changed' WHERE id % 4 = 0")
    assert session.run(query) == sql(query)


def test_one_catalog_file_serves_three_in_turn(lake):
    session, sql, python = lake
    session.run("CREATE TABLE db.turns (who STRING) USING iceberg")
    for turn in range(3):
        session.run("INSERT INTO db.turns VALUES ('iceblink')")
        sql("INSERT INTO db.turns VALUES ('spark')")
        table = python.load_table("db.turns")
        import pyarrow as pa
        table.append(pa.table({"who": ["python"]}))
    want = [["iceblink", 3], ["python", 3], ["spark", 3]]
    query = "SELECT who, count(*) FROM db.turns GROUP BY who ORDER BY who"
    assert session.run(query) == want and sql(query) == want
    assert len(python.load_table("db.turns").scan().to_arrow()) == 9
    assert len(python.load_table("db.turns").snapshots()) == 9


def test_fixed_columns_pass_between_all(lake):
    from pyiceberg.schema import Schema
    from pyiceberg.types import FixedType, ListType, LongType, NestedField
    session, sql, python = lake
    python.create_table("db.t", Schema(NestedField(1, "id", LongType()), NestedField(2, "f", FixedType(4)),
                                       NestedField(3, "l", ListType(4, FixedType(3), element_required=False))))
    session.run("INSERT INTO db.t VALUES (1, X'00010203', array(X'010203', NULL)), (2, NULL, NULL)")
    sql("INSERT INTO db.t VALUES (3, X'AABBCCDD', array(X'040506'))")
    want = [[1, b"\0\1\2\3", [b"\1\2\3", None]], [2, None, None], [3, b"\xaa\xbb\xcc\xdd", [b"\4\5\6"]]]
    assert sql("SELECT id, f, l FROM db.t ORDER BY id") == want
    assert sql("SELECT id FROM db.t WHERE f = X'00010203'") == [[1]]
    assert sorted(list(row.values()) for row in python.load_table("db.t").scan().to_arrow().to_pylist()) == want
    assert session.run("SELECT id, hex(f), hex(l[0]) FROM db.t WHERE f IS NOT NULL ORDER BY id") == [[1, "00010203", "010203"], [3, "AABBCCDD", "040506"]]


@pytest.mark.parametrize("version", [2, 3])
def test_partition_statistics_are_continued_in_turn(lake, version):
    session, sql, _ = lake
    session.run("CREATE TABLE db.t (id INT, dep STRING, at TIMESTAMP) USING iceberg PARTITIONED BY (dep, days(at)) "
                f"TBLPROPERTIES ('format-version'='{version}', 'write.delete.mode'='merge-on-read')")
    rows = "SELECT CAST(id AS INT), concat('d', id % 3), TIMESTAMP '2026-07-01 00:00:00' FROM range(30)"
    for statement in (f"INSERT INTO db.t {rows}", "DELETE FROM db.t WHERE id = 4", "DELETE FROM db.t WHERE dep = 'd2'"):
        session.run("CALL system.compute_partition_stats('db.t')")
        session.run(statement)
        sql("INSERT INTO db.t VALUES (100, 'd0', NULL)")
        ((path,),) = sql("CALL system.compute_partition_stats(table => 'db.t')")
        assert session.run("CALL system.compute_partition_stats('db.t')") == [[path]]
        session.run("INSERT INTO db.t VALUES (200, NULL, NULL)")
        ((path,),) = session.run("CALL system.compute_partition_stats('db.t')")
        live = {(r["partition"]["dep"], r["partition"]["at_day"]): r for r in pq.read_table(path).to_pylist() if r["data_file_count"]}
        counts = session.run("SELECT partition.dep, partition.at_day, record_count, file_count, position_delete_record_count, "
                             "last_updated_snapshot_id FROM db.t.partitions WHERE file_count > 0")
        assert len(counts) == len(live)
        for dep, day, records, files, deletes, snapshot in counts:
            row = live[dep, day and datetime.date.fromisoformat(day)]
            assert [row["data_record_count"], row["data_file_count"], row["position_delete_record_count"]] == [records, files, deletes]
            assert row["last_updated_snapshot_id"] == snapshot
    assert session.run("SELECT count(*) FROM db.t") == sql("SELECT count(*) FROM db.t")


@pytest.mark.parametrize("version", [2, 3])
def test_spark_reads_and_changes_a_table_under_its_new_prefix(lake, tmp_path, version):
    session, sql, _ = lake
    session.run(f"CREATE TABLE db.t (id INT, dep STRING) USING iceberg PARTITIONED BY (dep) LOCATION 'file:{tmp_path}/a/t' "
                f"TBLPROPERTIES ('format-version'='{version}', 'write.delete.mode'='merge-on-read')")
    sql("INSERT INTO db.t SELECT CAST(id AS INT), concat('d', id % 3) FROM range(90)")
    session.run("DELETE FROM db.t WHERE id IN (4, 5, 60)")
    sql("DELETE FROM db.t WHERE id IN (7, 8)")
    session.run("CALL system.rewrite_data_files(table => 'db.t', sort_order => 'zorder(id)', where => 'dep = \"d0\"', options => map('rewrite-all', 'true'))")
    query = "SELECT id, dep FROM db.{} ORDER BY id"
    want = sql(query.format("t"))
    ((latest, listed, _, _),) = session.run(
        f"CALL system.rewrite_table_path(table => 'db.t', source_prefix => 'file:{tmp_path}/a', target_prefix => 'file:{tmp_path}/b')")
    with open(listed.removeprefix("file:")) as file:
        for source, target in csv.reader(file):
            target = pathlib.Path(target.removeprefix("file:"))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source.removeprefix("file:"), target)
    shutil.rmtree(tmp_path / "a")
    sql(f"CALL system.register_table(table => 'db.moved', metadata_file => 'file:{tmp_path}/b/t/metadata/{latest}')")
    assert sql(query.format("moved")) == want == session.run(query.format("moved"))
    sql("DELETE FROM db.moved WHERE id = 10")
    session.run("DELETE FROM db.moved WHERE id = 11")
    assert sql("SELECT count(*) FROM db.moved") == [[len(want) - 2]] == session.run("SELECT count(*) FROM db.moved")
