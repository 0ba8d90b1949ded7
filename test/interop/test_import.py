"""Parquet files that another writer made become files of a table where they are: add_files, snapshot."""
import datetime as dt
import decimal

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from iceblink import Iceblink, SqlError, jdbc

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "n": pa.array([1, None, 3], pa.int32()),
                 "m": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal128(9, 2)),
                 "s": ["a", "b" * 40, None], "day": [dt.date(2026, 1, 1), dt.date(2026, 1, 2), None],
                 "wall": pa.array([dt.datetime(2026, 1, 1, 9), None, None], pa.timestamp("ms")), "dep": ["x", "y y", None]})


@pytest.fixture
def session(tmp_path):
    (tmp_path / "warehouse").mkdir()
    with Iceblink(tmp_path, **jdbc(tmp_path)) as session:
        session.run("CREATE NAMESPACE db")
        session.run("CREATE TABLE db.t (id BIGINT, n INT, m DECIMAL(9,2), s STRING, day DATE, wall TIMESTAMP_NTZ, dep STRING) "
                    "USING iceberg PARTITIONED BY (dep)")
        yield session


def hive(folder):
    ds.write_dataset(ROWS, folder, format="parquet", partitioning=ds.partitioning(pa.schema([("dep", pa.string())]), flavor="hive"))


def test_hive_folders_are_added_once(session, tmp_path):
    hive(tmp_path / "src")
    add = f"CALL local.system.add_files('db.t', '`parquet`.`{tmp_path}/src`')"
    assert session.run(add) == [[3, None]]
    assert session.run("SELECT id, n, m, day, wall, dep FROM db.t ORDER BY id") == [
        [1, 1, "1.50", "2026-01-01", "2026-01-01 09:00:00", "x"], [2, None, None, "2026-01-02", None, "y y"], [3, 3, "-2.25", None, None, None]]
    assert session.run("SELECT count(*) FROM db.t WHERE dep = 'y y' AND id > 1") == [[1]]
    with pytest.raises(SqlError, match="data files to be imported already exist within the target table"):
        session.run(add)
    session.run("DELETE FROM db.t WHERE id = 2")
    assert session.run("SELECT count(*) FROM db.t") == [[2]]


def test_metrics_come_from_footers(session, tmp_path):
    hive(tmp_path / "src")
    session.run(f"CALL local.system.add_files(table => 'db.t', source_table => '`parquet`.`{tmp_path}/src`', partition_filter => map('dep', 'x'))")
    ((metrics,),) = session.run("SELECT readable_metrics FROM db.t.files")
    names = [c.split(":")[0] for c in session.columns[0][1][len("struct<"):-1].split(">,")]
    values = dict(zip(names, metrics))
    assert values["id"][1:] == [1, 0, None, 1, 1] and values["day"][-2:] == ["2026-01-01", "2026-01-01"]
    assert values["wall"][-2:] == ["2026-01-01 09:00:00"] * 2 and values["m"][-1] == "1.50"
    assert session.run("SELECT id FROM db.t WHERE id > 5") == []


def test_what_does_not_fit_is_refused(session, tmp_path):
    pq.write_table(ROWS.drop(["dep"]), tmp_path / "one.parquet")
    for source, word in ((f"`parquet`.`{tmp_path}/nosuch`", "matches the partition columns"), (f"`orc`.`{tmp_path}`", "ORC")):
        with pytest.raises(SqlError, match=word):
            session.run(f"CALL local.system.add_files('db.t', '{source}')")
    (tmp_path / "bad" / "dep=x").mkdir(parents=True)
    (tmp_path / "bad" / "dep=x" / "f.parquet").write_bytes(b"no parquet")
    with pytest.raises(SqlError):
        session.run(f"CALL local.system.add_files('db.t', '`parquet`.`{tmp_path}/bad`')")
    assert session.run("SELECT count(*) FROM db.t") == [[0]]


def test_position_deletes_are_put_together(session):
    session.run("CREATE TABLE db.d (id BIGINT) USING iceberg TBLPROPERTIES ('write.delete.mode'='merge-on-read', 'write.delete.granularity'='file')")
    for start in (0, 10):
        session.run(f"INSERT INTO db.d SELECT /*+ COALESCE(1) */ id FROM range({start}, {start + 10})")
    session.run("DELETE FROM db.d WHERE id IN (3, 13)")
    assert session.run("CALL local.system.rewrite_position_delete_files('db.d')")[0][:2] == [0, 0]
    assert session.run("CALL local.system.rewrite_position_delete_files(table => 'db.d', options => map('rewrite-all', 'true'))")[0][:2] == [2, 2]
    assert session.run("SELECT count(*), sum(id) FROM db.d") == [[18, 190 - 16]]
    session.run("ALTER TABLE db.d SET TBLPROPERTIES ('format-version'='3')")
    assert session.run("CALL local.system.rewrite_position_delete_files('db.d')")[0][:2] == [2, 2]
    assert session.run("SELECT DISTINCT file_format FROM db.d.delete_files") == [["PUFFIN"]]
    assert session.run("SELECT count(*), sum(id) FROM db.d") == [[18, 190 - 16]]


def test_sketches_count_distinct_values(session):
    session.run("INSERT INTO db.t SELECT id, CAST(id % 7 AS INT), 1.5, 's', NULL, NULL, 'x' FROM range(1000)")
    ((path,),) = session.run("CALL local.system.compute_table_stats(table => 'db.t', columns => array('id', 'n', 'm'))")
    text = open(path.removeprefix("file:"), "rb").read()
    assert text.startswith(b"PFA1") and all(b'"ndv":"%d"' % n in text.replace(b" ", b"") for n in (1000, 7, 1))
    with pytest.raises(SqlError, match="Can't find column nosuch in table"):
        session.run("CALL local.system.compute_table_stats(table => 'db.t', columns => array('nosuch'))")


@pytest.mark.parametrize("compliant", [True, False], ids=["element", "item"])
def test_nested_columns_by_name(session, tmp_path, compliant):
    """Files without field ids whose columns are called what Parquet calls its own groups; narrower types than the table's."""
    inner = {"list": pa.list_(pa.int32()), "key_value": pa.map_(pa.string(), pa.list_(pa.float32())), "element": pa.int32(),
             "key": pa.string(), "map": pa.map_(pa.string(), pa.int32()), "array": pa.list_(pa.list_(pa.int32()))}
    one = {"list": [1, None], "key_value": [("k", [0.5])], "element": 3, "key": "x", "map": [("a", 1)], "array": [[1], []]}
    schema = pa.schema({**inner, "s": pa.struct(list(inner.items()))})
    (tmp_path / "src").mkdir()
    pq.write_table(pa.Table.from_pylist([{**one, "s": one}], schema), tmp_path / "src" / "f.parquet", use_compliant_nested_type=compliant)
    wide = ("`list`: ARRAY<BIGINT>, key_value: MAP<STRING, ARRAY<DOUBLE>>, element: BIGINT, `key`: STRING, `map`: MAP<STRING, BIGINT>, "
            "`array`: ARRAY<ARRAY<BIGINT>>")
    session.run(f"CREATE TABLE db.n ({wide.replace(':', '')}, s STRUCT<{wide}>) USING iceberg")
    session.run(f"CALL local.system.add_files('db.n', '`parquet`.`{tmp_path}/src`')")
    values = [[1, None], [["k", [0.5]]], 3, "x", [["a", 1]], [[1], []]]
    assert session.run("SELECT * FROM db.n") == [[*values, values]]
    assert session.run("SELECT element, s.element, s.`list`[0] FROM db.n WHERE s.`key` = 'x' AND element = 3") == [[3, 3, 1]]
