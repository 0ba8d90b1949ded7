"""Data and delete files in Avro and ORC pass between Iceblink and Spark, both ways."""
import pytest

from equality_deletes import delete_equal
from iceblink import SqlError
from test_spark import lake, spark  # noqa: F401

COLUMNS = """id BIGINT NOT NULL, i INT, b BOOLEAN, f FLOAT, d DOUBLE, s STRING, bin BINARY, day DATE, at TIMESTAMP, wall TIMESTAMP_NTZ,
small DECIMAL(5,2), mid DECIMAL(15,3), big DECIMAL(38,10), tags ARRAY<STRING>, byname MAP<STRING, INT>, bynumber MAP<INT, STRUCT<x: INT, y: STRING>>,
place STRUCT<lat: DOUBLE, names: ARRAY<STRUCT<lang: STRING, text: STRING>>>, p STRING"""
ROWS = """SELECT id, CAST(id * 3 AS INT), id % 2 = 0, CAST(id / 4 AS FLOAT), id / 8.0D, concat('text ', id), CAST(concat('b', id) AS BINARY),
date_add(DATE '1969-12-30', CAST(id AS INT)), TIMESTAMP '{2} 23:59:58.123456' + make_dt_interval(0, CAST(id AS INT), 0, 0.000001),
TIMESTAMP_NTZ '2026-07-01 00:00:00.5' + make_dt_interval(CAST(id AS INT)), CAST(id - 5 AS DECIMAL(5,2)), CAST(-id AS DECIMAL(15,3)), CAST(id * 1000000007 AS DECIMAL(38,10)),
array(concat('a', id), NULL, 'c'), map('k', CAST(id AS INT), 'null', CAST(NULL AS INT)), map(CAST(id AS INT), named_struct('x', 1, 'y', concat('y', id))),
named_struct('lat', id + 0.5D, 'names', array(named_struct('lang', 'de', 'text', concat('t', id)))), concat('p', id % 3) FROM range({0}, {1})
UNION ALL SELECT {1}, NULL, NULL, CAST('NaN' AS FLOAT), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, map(), NULL, NULL, 'p0'"""
FORMATS = ["avro", "orc"]
EARLY, LATE = "1969-12-31", "1999-12-31"  # Arrow cannot write fractions of early seconds to ORC


def plain(rows):
    """Rows as text of Python values that both sides answer in the same form."""
    return [[str(value) for value in row] for row in rows]


QUERY = "SELECT id, i, b, CAST(f AS STRING) AS f, CAST(d AS STRING) AS d, s, hex(bin) AS bin, CAST(day AS STRING) AS day, CAST(at AS STRING) AS at, CAST(wall AS STRING) AS wall, CAST(small AS STRING) AS small, CAST(mid AS STRING) AS mid, " \
        "CAST(big AS STRING) AS big, to_json(tags) AS tags, to_json(map_entries(byname)) AS byname, CAST(bynumber AS STRING) AS bynumber, to_json(place) AS place, p FROM db.t ORDER BY id"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("partitioned", ["", "PARTITIONED BY (p)"])
def test_iceblink_reads_what_spark_wrote(lake, format, partitioned):
    session, sql, _ = lake
    sql(f"CREATE TABLE db.t ({COLUMNS}) USING iceberg {partitioned} TBLPROPERTIES ('write.format.default'='{format}')")
    sql("INSERT INTO db.t " + ROWS.format(0, 20, EARLY))
    assert {row[0] for row in session.run("SELECT file_format FROM db.t.files")} == {format.upper()}
    assert plain(session.run(QUERY)) == plain(sql(QUERY))
    assert session.run("SELECT count(*) FROM db.t") == [[21]]
    assert session.run("SELECT count(*) FROM db.t WHERE place.lat > 10") == [[10]]
    assert session.run("SELECT place.names[0].text FROM db.t WHERE id = 7 AND p = 'p1'") == [["t7"]]
    assert session.run("SELECT _pos FROM db.t ORDER BY id") == sql("SELECT _pos FROM db.t ORDER BY id")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("version", [2, 3])
def test_evolution_and_deletes_of_spark(lake, format, version):
    session, sql, _ = lake
    sql("CREATE TABLE db.t (id INT, v STRING, n FLOAT, s STRUCT<a: INT, b: INT>, gone INT) USING iceberg TBLPROPERTIES ("
        f"'write.format.default'='{format}', 'format-version'='{version}', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read')")
    sql("INSERT INTO db.t SELECT CAST(id AS INT), concat('v', id), CAST(id AS FLOAT), named_struct('a', 1, 'b', CAST(id AS INT)), 9 FROM range(10)")
    sql("DELETE FROM db.t WHERE id IN (2, 3)")
    for change in ("RENAME COLUMN v TO label", "ALTER COLUMN id TYPE BIGINT", "ALTER COLUMN n TYPE DOUBLE", "DROP COLUMN gone", "ADD COLUMN more STRING",
                   "RENAME COLUMN s.b TO c", "ADD COLUMN s.extra DATE", "ADD COLUMN gone STRING", "ALTER COLUMN label FIRST"):
        sql(f"ALTER TABLE db.t {change}")
    sql("INSERT INTO db.t VALUES ('late', 100, 1.5, named_struct('a', 5, 'c', 6, 'extra', DATE '2026-01-01'), 'm', 'g')")
    sql("UPDATE db.t SET label = 'new' WHERE id = 5")
    query = "SELECT label, id, CAST(n AS STRING) AS n, s.a, s.c, CAST(s.extra AS STRING) AS e, more, gone FROM db.t ORDER BY id"
    assert plain(session.run(query)) == plain(sql(query))
    assert session.run("SELECT id, v FROM (SELECT id, _pos AS v FROM db.t) ORDER BY id") == sql("SELECT id, v FROM (SELECT id, _pos AS v FROM db.t) ORDER BY id")
    if version == 3:
        lineage = "SELECT id, _row_id, _last_updated_sequence_number FROM db.t ORDER BY id"
        assert session.run(lineage) == sql(lineage)
    else:
        assert {row[0] for row in session.run("SELECT file_format FROM db.t.delete_files")} == {format.upper()}
        deletes = "SELECT pos FROM db.t.position_deletes ORDER BY pos"
        assert session.run(deletes) == sql(deletes)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("version, mode", [(1, "copy-on-write"), (2, "merge-on-read"), (3, "merge-on-read")])
def test_spark_reads_and_continues_what_iceblink_wrote(lake, format, version, mode):
    session, sql, _ = lake
    properties = ", ".join(f"'write.{op}.mode'='{mode}'" for op in ("delete", "update", "merge"))
    session.run(f"CREATE TABLE db.t ({COLUMNS}) USING iceberg PARTITIONED BY (p) TBLPROPERTIES ('write.format.default'='{format}', 'format-version'='{version}', {properties})")
    session.run("INSERT INTO db.t " + ROWS.format(0, 20, EARLY if format == "avro" else LATE))
    assert {row[0] for row in sql("SELECT file_format FROM db.t.files")} == {format.upper()}
    assert plain(session.run(QUERY)) == plain(sql(QUERY))
    session.run("DELETE FROM db.t WHERE id % 7 = 1")
    session.run("UPDATE db.t SET s = 'new' WHERE id % 5 = 0")
    session.run("MERGE INTO db.t t USING (SELECT CAST(id AS BIGINT) AS id FROM range(18, 25)) s ON t.id = s.id WHEN MATCHED THEN DELETE "
                "WHEN NOT MATCHED THEN INSERT (id, s, p) VALUES (s.id, 'merged', 'p1')")
    assert plain(session.run(QUERY)) == plain(sql(QUERY))
    sql("DELETE FROM db.t WHERE id = 2")
    sql("INSERT INTO db.t " + ROWS.format(100, 110, LATE))
    assert plain(session.run(QUERY)) == plain(sql(QUERY))
    session.run("CALL system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))")
    assert plain(session.run(QUERY)) == plain(sql(QUERY))
    if version == 3:
        lineage = "SELECT id, _row_id, _last_updated_sequence_number FROM db.t ORDER BY id"
        assert session.run(lineage) == sql(lineage)


def test_formats_mix_in_one_table(lake):
    session, sql, _ = lake
    session.run("CREATE TABLE db.t (id INT, v STRING) USING iceberg TBLPROPERTIES ('write.delete.mode'='merge-on-read')")
    for start, format in ((0, "parquet"), (10, "avro"), (20, "orc")):
        session.run(f"ALTER TABLE db.t SET TBLPROPERTIES ('write.format.default'='{format}')")
        session.run(f"INSERT INTO db.t SELECT CAST(id AS INT), concat('v', id) FROM range({start}, {start + 10})")
    session.run("DELETE FROM db.t WHERE id % 4 = 0")
    query = "SELECT id, v, _pos FROM db.t WHERE id > 3 ORDER BY id"
    assert session.run(query) == sql(query)
    assert session.run("SELECT file_format, record_count FROM db.t.data_files ORDER BY 1") == [["AVRO", 10], ["ORC", 10], ["PARQUET", 10]]


def test_timestamps_that_arrow_has_no_place_for_in_orc_are_refused(lake):
    session, sql, _ = lake
    sql("CREATE TABLE db.t (id INT, at TIMESTAMP) USING iceberg TBLPROPERTIES ('write.format.default'='orc')")
    sql("INSERT INTO db.t VALUES (1, TIMESTAMP '9999-12-31 00:00:00')")
    assert session.run("SELECT id FROM db.t") == [[1]]
    with pytest.raises(SqlError, match="Cannot read timestamps before 1677-09-22 or after 2262-04-11 from ORC file"):
        session.run("SELECT at FROM db.t")
    with pytest.raises(SqlError, match="Cannot write timestamps before 1970 with a fraction of a second to ORC files"):
        session.run("INSERT INTO db.t VALUES (2, TIMESTAMP '1969-12-31 23:59:59.5')")
    assert session.run("SELECT count(*) FROM db.t") == [[1]]


def test_imported_orc_files_without_ids(lake, spark, tmp_path):
    session, sql, _ = lake
    sql("CREATE TABLE db.t (id BIGINT, v STRING, s STRUCT<a: INT, l: ARRAY<STRUCT<b: INT>>>, p STRING) USING iceberg PARTITIONED BY (p)")
    spark.sql("SELECT id, concat('v', id) AS v, named_struct('a', CAST(id AS INT), 'l', array(named_struct('b', 7))) AS s, concat('p', id % 2) AS p FROM range(6)") \
        .write.partitionBy("p").orc(f"{tmp_path}/old")
    sql(f"CALL system.add_files(table => 'db.t', source_table => '`orc`.`{tmp_path}/old`')")
    sql("ALTER TABLE db.t RENAME COLUMN v TO label")
    sql("ALTER TABLE db.t RENAME COLUMN s.a TO c")
    query = "SELECT id, label, s.c, s.l[0].b, p FROM db.t ORDER BY id"
    assert session.run(query) == sql(query)
    session.run("DELETE FROM db.t WHERE id = 3")
    assert session.run(query) == sql(query)


@pytest.mark.parametrize("format", FORMATS)
def test_equality_deletes(lake, format):
    session, sql, python = lake
    session.run(f"CREATE TABLE db.t (id INT, v STRING) USING iceberg TBLPROPERTIES ('write.format.default'='{format}')")
    session.run("INSERT INTO db.t SELECT CAST(id AS INT), IF(id % 3 = 0, NULL, concat('v', id)) FROM range(20)")
    table = python.load_table("db.t")
    delete_equal(table, {"id": [2, 77, 13]}, format)
    session.run("INSERT INTO db.t VALUES (2, 'again')")
    delete_equal(table, {"id": [7, 3], "v": ["v7", None]}, format)
    query = "SELECT id, v FROM db.t ORDER BY id"
    rows = session.run(query)
    assert rows == sql(query)
    assert len(rows) == 17


@pytest.mark.parametrize("format", FORMATS)
def test_changelog(lake, format):
    session, sql, _ = lake
    session.run(f"CREATE TABLE db.t (id INT, v STRING, at TIMESTAMP) USING {format}")
    session.run("INSERT INTO db.t SELECT CAST(id AS INT), concat('v', id), TIMESTAMP '2026-01-01 00:00:00' FROM range(5)")
    session.run("DELETE FROM db.t WHERE id = 2")
    query = "SELECT id, v, CAST(at AS STRING) AS at, _change_type, _change_ordinal FROM db.t.changes ORDER BY _change_ordinal, id, _change_type"
    rows = session.run(query)
    assert rows == sql(query)
    assert len(rows) == 14
