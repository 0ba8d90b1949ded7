"""Five engines on one `iceblink serve`: each makes a table, all write, evolve and delete in all of them, and read the same."""
import pytest

duckdb = pytest.importorskip("duckdb", reason="needs the peers (make interop)")
pytest.importorskip("duckdb_extensions")
pytest.importorskip("pyspark", reason="needs .venv-spark (make interop)")
import pyarrow as pa  # noqa: E402
from pyiceberg.catalog import load_catalog  # noqa: E402
from pyiceberg.schema import Schema  # noqa: E402
from pyiceberg.types import IntegerType, LongType, NestedField, StringType  # noqa: E402

from test_spark import spark  # noqa: E402,F401
from test_trino_rest import ice, server, settings, sql  # noqa: E402,F401


class Sql:
    """An engine that speaks SQL; `run` answers rows as lists."""

    def __init__(self, name, run, catalog, text="VARCHAR", suffix=""):
        self.name, self.run, self.catalog, self.text, self.suffix = name, run, catalog, text, suffix

    def create(self, table):
        self.run(f"CREATE TABLE {self.catalog}.d.{table} (id BIGINT, data {self.text}){self.suffix}")

    def insert(self, table, number, data):
        self.run(f"INSERT INTO {self.catalog}.d.{table} (id, data) VALUES ({number}, '{data}')")

    def evolve(self, table, column):
        self.run(f"ALTER TABLE {self.catalog}.d.{table} ADD COLUMN {column} INT")

    def delete(self, table, number):
        self.run(f"DELETE FROM {self.catalog}.d.{table} WHERE id = {number}")

    def rows(self, table):
        return self.run(f"SELECT * FROM {self.catalog}.d.{table} ORDER BY id")


class PyIceberg:
    name = "pyiceberg"

    def __init__(self, uri):
        self.catalog = load_catalog("c", type="rest", uri=uri)

    def table(self, name):
        return self.catalog.load_table(f"d.{name}")

    def create(self, table):
        self.catalog.create_table(f"d.{table}", Schema(NestedField(1, "id", LongType()), NestedField(2, "data", StringType())))

    def insert(self, table, number, data):
        self.table(table).append(pa.table({"id": [number], "data": [data]}))

    def evolve(self, table, column):
        with self.table(table).update_schema() as update:
            update.add_column(column, IntegerType())

    def delete(self, table, number):
        self.table(table).delete(f"id = {number}")

    def rows(self, table):
        return sorted(list(row.values()) for row in self.table(table).scan().to_arrow().to_pylist())


@pytest.fixture(scope="module")
def engines(spark, server, sql, ice):  # noqa: F811
    for key, value in {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".uri": server.uri, ".cache-enabled": "false"}.items():
        spark.conf.set("spark.sql.catalog.round" + key, value)
    duck = duckdb.connect()
    for extension in ("httpfs", "avro", "iceberg"):
        duck.execute(f"LOAD {extension}")
    duck.execute(f"ATTACH '' AS r (TYPE iceberg, ENDPOINT '{server.uri}', AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none')")
    ice.run("CREATE NAMESPACE d")
    return [Sql("iceblink", ice.run, "lake", "STRING", " USING iceberg"),
            Sql("spark", lambda text: [list(row) for row in spark.sql(text).collect()], "round", "STRING", " USING iceberg"),
            Sql("duckdb", lambda text: [list(row) for row in duck.execute(text).fetchall()], "r"),
            Sql("trino", sql, "ice"),
            PyIceberg(server.uri)]


@pytest.mark.parametrize("creator", range(5), ids=["iceblink", "spark", "duckdb", "trino", "pyiceberg"])
def test_round(engines, creator):
    table = f"of_{engines[creator].name}"
    engines[creator].create(table)
    order = engines[creator:] + engines[:creator]
    expected = []
    for number, engine in enumerate(order):
        engine.insert(table, number, engine.name)
        engine.insert(table, number + 100, "gone soon")
        engine.evolve(table, f"of_{engine.name}")
        expected = [row + [None] for row in expected] + [[number, engine.name] + [None] * (number + 1)]
        for other in engines:
            assert [row for row in other.rows(table) if row[0] < 100] == expected, f"{engine.name} wrote, {other.name} reads"
    for number, engine in enumerate(order[1:] + order[:1]):  # each deletes what another wrote
        engine.delete(table, number + 100)
    for other in engines:
        assert other.rows(table) == expected, other.name
