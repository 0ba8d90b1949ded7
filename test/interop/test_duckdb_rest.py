"""DuckDB and Iceblink on one REST catalog: each reads, changes and evolves what the other wrote. Skips without DuckDB's extensions."""
import pytest

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("duckdb_extensions")

from iceblink import Iceblink  # noqa: E402
from rest_server import Server  # noqa: E402


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("duckdb")) as server:
        yield server


@pytest.fixture(scope="module")
def duck(server):
    connection = duckdb.connect()
    for extension in ("httpfs", "avro", "iceberg"):
        connection.execute(f"LOAD {extension}")
    connection.execute(f"ATTACH '' AS r (TYPE iceberg, ENDPOINT '{server.uri}', AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none')")
    return connection


@pytest.fixture(scope="module")
def ice(server):
    with Iceblink(server.folder) as session:
        yield session


def ask(duck, sql):
    return [list(row) for row in duck.execute(sql).fetchall()]


def test_duckdb_creates_and_iceblink_reads(duck, ice):
    duck.execute("CREATE SCHEMA r.d")
    duck.execute("CREATE TABLE r.d.t AS SELECT i AS id, 'row ' || i AS data FROM range(5) x(i)")
    assert ice.run("SELECT count(*), max(data) FROM d.t") == [[5, "row 4"]]
    duck.execute("DELETE FROM r.d.t WHERE id = 3")
    duck.execute("UPDATE r.d.t SET data = 'new' WHERE id = 1")
    assert ice.run("SELECT id, data FROM d.t ORDER BY id") == [[0, "row 0"], [1, "new"], [2, "row 2"], [4, "row 4"]]


def test_iceblink_changes_and_duckdb_reads(duck, ice):
    duck.execute("CREATE TABLE r.d.u (id BIGINT, data VARCHAR)")
    ice.run("INSERT INTO d.u VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    ice.run("ALTER TABLE d.u ADD COLUMN more INT")
    ice.run("UPDATE d.u SET more = 7 WHERE id = 2")
    ice.run("MERGE INTO d.u t USING (SELECT 9 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, data, more) VALUES (9, 'm', 1)")
    assert ask(duck, "SELECT id, data, more FROM r.d.u ORDER BY id") == [[1, "a", None], [2, "b", 7], [3, "c", None], [9, "m", 1]]


def test_schemas_evolve_in_turns(duck, ice):
    ice.run("CREATE TABLE d.e (id BIGINT, old STRING) USING iceberg PARTITIONED BY (bucket(4, id))")
    ice.run("INSERT INTO d.e VALUES (1, 'x')")
    duck.execute("ALTER TABLE r.d.e RENAME COLUMN old TO name")
    duck.execute("INSERT INTO r.d.e VALUES (2, 'y')")
    assert ice.run("SELECT id, name FROM d.e ORDER BY id") == [[1, "x"], [2, "y"]]
    ice.run("ALTER TABLE d.e ADD COLUMN extra DOUBLE")
    duck.execute("INSERT INTO r.d.e VALUES (3, 'z', 1.5)")
    assert ice.run("SELECT id, extra FROM d.e WHERE extra IS NOT NULL") == [[3, 1.5]]


def test_v3_deletion_vectors_both_ways(duck, ice):
    ice.run("CREATE TABLE d.v (id BIGINT, data STRING) USING iceberg TBLPROPERTIES "
            "('format-version'='3', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read')")
    ice.run("INSERT INTO d.v SELECT id, concat('r', id) FROM range(10)")
    ice.run("DELETE FROM d.v WHERE id % 3 = 0")
    assert ask(duck, "SELECT count(*), sum(id) FROM r.d.v") == [[6, 27]]
    duck.execute("DELETE FROM r.d.v WHERE id = 8")
    duck.execute("INSERT INTO r.d.v VALUES (100, 'duck')")
    assert ice.run("SELECT count(*), sum(id) FROM d.v") == [[6, 119]]
    assert ice.run("SELECT count(DISTINCT _row_id) FROM d.v") == [[6]]


def test_a_transaction_over_two_tables(duck, ice):
    duck.execute("CREATE TABLE r.d.a (id BIGINT)")
    duck.execute("CREATE TABLE r.d.b (id BIGINT)")
    duck.execute("BEGIN")
    duck.execute("INSERT INTO r.d.a VALUES (1)")
    duck.execute("INSERT INTO r.d.b VALUES (2)")
    duck.execute("COMMIT")
    assert ice.run("SELECT (SELECT max(id) FROM d.a), (SELECT max(id) FROM d.b)") == [[1, 2]]


def test_names_and_drops(duck, ice):
    duck.execute("ALTER TABLE r.d.a RENAME TO z")
    assert ice.run("SELECT count(*) FROM d.z") == [[1]]
    duck.execute("DROP TABLE r.d.z")
    assert ["z"] not in [row[1:2] for row in ice.run("SHOW TABLES IN d")]
