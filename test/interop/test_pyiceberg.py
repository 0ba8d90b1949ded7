"""Tables pass between Iceblink and PyIceberg in both directions through one SQLite catalog file."""
import datetime as dt
import decimal
import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import EqualTo
from pyiceberg.io.pyarrow import pyarrow_to_schema
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import FixedType, ListType, LongType, MapType, NestedField, StringType, StructType

from equality_deletes import delete_equal
from iceblink import Iceblink, SqlError, jdbc


@pytest.fixture
def lake(tmp_path):
    """(Iceblink session, PyIceberg catalog) over the same catalog file."""
    (tmp_path / "warehouse").mkdir()
    with Iceblink(tmp_path, **jdbc(tmp_path)) as session:
        session.run("CREATE NAMESPACE db")
        yield session, SqlCatalog("local", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/warehouse")


def rows(table, **scan):
    arrow = table.scan(**scan).to_arrow()
    return sorted(tuple(r.values()) for r in arrow.to_pylist())


@pytest.mark.parametrize("version", [1, 2])
def test_types_and_partitions_are_read_equally(lake, version):
    session, catalog = lake
    session.run("CREATE TABLE db.t (id BIGINT, n INT, f FLOAT, d DOUBLE, m DECIMAL(12,3), s STRING, b BINARY, day DATE, "
                "at TIMESTAMP, wall TIMESTAMP_NTZ, l ARRAY<INT>, p STRUCT<x:INT,y:STRING>, kv MAP<STRING,INT>) USING iceberg "
                f"PARTITIONED BY (days(at), bucket(4, id)) TBLPROPERTIES ('format-version'='{version}')")
    session.run("INSERT INTO db.t VALUES (1, 2, 1.5, 2.25, 10.125, 'ä', X'00FF', DATE '2026-07-01', "
                "TIMESTAMP '2026-07-01 09:00:00.123456', TIMESTAMP_NTZ '2026-07-01 09:00:00', array(1, NULL), "
                "named_struct('x', 1, 'y', 'z'), map('k', 7)), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)")
    got = rows(catalog.load_table("db.t"))
    assert got[0] == (1, 2, 1.5, 2.25, decimal.Decimal("10.125"), "ä", b"\x00\xff", dt.date(2026, 7, 1),
                      dt.datetime(2026, 7, 1, 9, 0, 0, 123456, tzinfo=dt.timezone.utc), dt.datetime(2026, 7, 1, 9), [1, None],
                      {"x": 1, "y": "z"}, [("k", 7)])
    assert got[1] == (2,) + (None,) * 12
    assert catalog.load_table("db.t").format_version == version
    for task in catalog.load_table("db.t").scan().plan_files():  # the schema within the file is the one that its columns say
        written = pq.read_schema(task.file.file_path.removeprefix("file://"))
        assert pyarrow_to_schema(written) == Schema.model_validate_json(written.metadata[b"iceberg.schema"])


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_row_changes_are_read_and_continued(lake, mode):
    session, catalog = lake
    properties = ", ".join(f"'write.{op}.mode'='{mode}'" for op in ("delete", "update", "merge"))
    session.run(f"CREATE TABLE db.t (id INT, v STRING) USING iceberg TBLPROPERTIES ({properties})")
    session.run("INSERT INTO db.t SELECT CAST(id AS INT), 'old' FROM range(10)")
    session.run("DELETE FROM db.t WHERE id % 5 = 0")
    session.run("UPDATE db.t SET v = 'new' WHERE id = 3")
    session.run("MERGE INTO db.t t USING (SELECT 4 AS id UNION ALL SELECT 40) s ON t.id = s.id "
                "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'merged')")
    want = [(1, "old"), (2, "old"), (3, "new"), (6, "old"), (7, "old"), (8, "old"), (9, "old"), (40, "merged")]
    assert rows(catalog.load_table("db.t")) == want
    catalog.load_table("db.t").append(pa.table({"id": pa.array([50], pa.int32()), "v": ["python"]}))
    assert session.run("SELECT id, v FROM db.t WHERE id >= 40 ORDER BY id") == [[40, "merged"], [50, "python"]]
    session.run("DELETE FROM db.t WHERE id = 50")
    assert rows(catalog.load_table("db.t")) == want


def test_refs_schema_and_spec_evolution(lake):
    session, catalog = lake
    session.run("CREATE TABLE db.t (id INT, name STRING, n INT) USING iceberg PARTITIONED BY (name)")
    session.run("INSERT INTO db.t VALUES (1, 'a', 1), (2, 'b', 2)")
    session.run("ALTER TABLE db.t CREATE TAG first")
    session.run("ALTER TABLE db.t CREATE BRANCH audit")
    session.run("ALTER TABLE db.t RENAME COLUMN n TO amount")
    session.run("ALTER TABLE db.t ALTER COLUMN amount TYPE BIGINT")
    session.run("ALTER TABLE db.t ADD COLUMN extra STRUCT<a: INT> AFTER id")
    session.run("ALTER TABLE db.t ADD PARTITION FIELD bucket(2, id)")
    session.run("INSERT INTO db.t VALUES (3, named_struct('a', 9), 'c', 3)")
    session.run("INSERT INTO db.t.branch_audit VALUES (4, NULL, 'd', 4)")
    table = catalog.load_table("db.t")
    assert rows(table) == [(1, None, "a", 1), (2, None, "b", 2), (3, {"a": 9}, "c", 3)]
    refs = table.metadata.refs
    assert {n: r.snapshot_ref_type.value for n, r in refs.items()} == {"main": "branch", "audit": "branch", "first": "tag"}
    assert rows(table, snapshot_id=refs["first"].snapshot_id) == [(1, "a", 1), (2, "b", 2)]
    assert table.scan().use_ref("audit").to_arrow().num_rows == 3
    assert [f.name for f in table.spec().fields] == ["name", "id_bucket_2"]


def test_python_tables_are_read_merged_compacted_and_expired(lake):
    session, catalog = lake
    data = pa.table({"id": pa.array(range(6), pa.int64()), "v": [f"v{i}" for i in range(6)]})
    table = catalog.create_table("db.p", schema=data.schema)
    for i in range(6):
        table.append(data.slice(i, 1))
    table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "python").commit()
    assert session.run("SELECT count(*), sum(id) FROM db.p") == [[6, 15]]
    session.run("MERGE INTO db.p t USING (SELECT 5L AS id, 'five' AS v UNION ALL SELECT 9L, 'nine') s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
    done = session.run("CALL system.rewrite_data_files(table => 'db.p', options => map('min-input-files', '2'))")
    assert done[0][:2] == [6, 1]
    assert session.run("SELECT count(*) FROM db.p VERSION AS OF 'python'") == [[6]]
    table.refresh()
    assert rows(table) == [(i, f"v{i}") for i in range(5)] + [(5, "five"), (9, "nine")]
    session.run("CALL system.expire_snapshots(table => 'db.p', older_than => TIMESTAMP '2126-01-01 00:00:00')")
    table.refresh()
    assert len(table.snapshots()) == 2 and rows(table, snapshot_id=table.snapshot_by_name("python").snapshot_id)[0] == (0, "v0")


def test_equality_deletes_are_read_changed_and_compacted(lake):
    session, catalog = lake
    session.run("CREATE TABLE db.t (id INT, v STRING) USING iceberg TBLPROPERTIES ('write.delete.mode'='merge-on-read')")
    session.run("INSERT INTO db.t VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, 'd'), (5, 'd')")
    table = catalog.load_table("db.t")
    delete_equal(table, {"id": [2, 77]})
    session.run("INSERT INTO db.t VALUES (2, 'again')")
    delete_equal(table, {"v": [None, "d"]})
    delete_equal(table, {"id": [1, 5], "v": ["other", "d"]})
    want = [[1, "a"], [2, "again"]]
    assert session.run("SELECT * FROM db.t ORDER BY id") == want
    assert session.run("SELECT content, count(*) FROM db.t.delete_files GROUP BY content") == [[2, 3]]
    session.run("INSERT INTO db.t VALUES (6, 'd')")
    session.run("DELETE FROM db.t WHERE id = 1")
    assert session.run("SELECT * FROM db.t ORDER BY id") == [want[1], [6, "d"]]
    session.run("CALL system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))")
    assert session.run("SELECT * FROM db.t ORDER BY id") == [want[1], [6, "d"]]


def test_one_catalog_file_serves_both_in_turn(lake):
    session, catalog = lake
    catalog.create_namespace("py")
    assert [["db"], ["py"]] == sorted(session.run("SHOW NAMESPACES"))
    session.run("CREATE TABLE py.made_here (id INT) USING iceberg")
    catalog.rename_table("py.made_here", "py.renamed")
    session.run("INSERT INTO py.renamed VALUES (1)")
    assert catalog.load_table("py.renamed").scan().to_arrow().num_rows == 1
    session.run("DROP TABLE py.renamed")
    assert not catalog.table_exists("py.renamed")


def test_fixed_columns_are_fixed_in_the_files(lake, tmp_path):
    session, catalog = lake
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "f", FixedType(4)),
                    NestedField(3, "s", StructType(NestedField(4, "x", FixedType(2)), NestedField(5, "y", StringType()))),
                    NestedField(6, "l", ListType(7, FixedType(3), element_required=False)),
                    NestedField(8, "m", MapType(9, FixedType(1), 10, FixedType(20), value_required=False)),
                    NestedField(11, "long", FixedType(600)))
    catalog.create_table("db.t", schema, partition_spec=PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "f")),
                         properties={"write.parquet.page-version": "v2"})
    session.run("INSERT INTO db.t VALUES (1, X'00010203', named_struct('x', X'FFFE', 'y', 'a'), array(X'010203', NULL, X'040506'), "
                "map(X'01', X'000102030405060708090A0B0C0D0E0F10111213', X'02', NULL), NULL), (2, NULL, NULL, NULL, NULL, NULL), "
                "(3, X'00010203', named_struct('x', NULL, 'y', NULL), array(), map(), NULL)")
    session.run("INSERT INTO db.t SELECT id, X'0A0B0C0D', NULL, array(CAST(substring(md5(CAST(id AS STRING)), 1, 3) AS BINARY)), NULL, NULL FROM range(4, 5000)")
    got = rows(catalog.load_table("db.t"))
    text = bytes(range(20))
    assert got[:3] == [(1, b"\0\1\2\3", {"x": b"\xff\xfe", "y": "a"}, [b"\1\2\3", None, b"\4\5\6"], [(b"\1", text), (b"\2", None)], None),
                       (2, None, None, None, None, None), (3, b"\0\1\2\3", {"x": None, "y": None}, [], [], None)]
    assert len(got) == 4999 and got[-1][3] == [hashlib.md5(b"4999").hexdigest()[:3].encode()]
    assert rows(catalog.load_table("db.t"), row_filter=EqualTo("f", b"\0\1\2\3")) == [got[0], got[2]]
    for (path,) in session.run("SELECT file_path FROM db.t.files"):
        file = pq.ParquetFile(path.removeprefix("file:"))
        kinds = [(c.path, c.physical_type, c.length) for c in (file.schema.column(i) for i in range(len(file.schema.names)))]
        assert kinds[1] == ("f", "FIXED_LEN_BYTE_ARRAY", 4) and kinds[2] == ("s.x", "FIXED_LEN_BYTE_ARRAY", 2)
        assert [kind[1:] for kind in kinds[4:]] == [("FIXED_LEN_BYTE_ARRAY", n) for n in (3, 1, 20, 600)]
    assert session.run("SELECT count(*), count(DISTINCT get(l, 0)), min(f), hex(max(f)) FROM db.t")[0][0] == 4999
    assert session.run("SELECT id FROM db.t WHERE f = X'00010203' ORDER BY id") == [[1], [3]]
    session.run("INSERT INTO db.t (id, f, long) VALUES (-1, X'FFFFFFFF', CAST(repeat('x', 600) AS BINARY)), (-2, X'FFFFFFFF', NULL)")
    assert rows(catalog.load_table("db.t"), row_filter="id < 0", selected_fields=("id", "long")) == [(-2, None), (-1, b"x" * 600)]
    assert session.run("SELECT id FROM db.t WHERE long = CAST(repeat('x', 600) AS BINARY)") == [[-1]]
    session.run("DELETE FROM db.t WHERE id < 0")
    session.run("UPDATE db.t SET s = named_struct('x', X'1234', 'y', 'b') WHERE id = 1")
    assert rows(catalog.load_table("db.t"))[0][2] == {"x": b"\x12\x34", "y": "b"}
    with pytest.raises(SqlError, match="Fixed Binary size 1 does not match field type length 4"):
        session.run("INSERT INTO db.t (id, f) VALUES (9, X'00')")
    bounds = catalog.load_table("db.t").inspect.files()["lower_bounds"].to_pylist()
    assert any((1, (1).to_bytes(8, "little")) in file for file in bounds)
