"""Spark and Iceblink on one REST catalog: Spark's client of Iceblink's server. Run by `make interop`."""
import pytest

pyspark = pytest.importorskip("pyspark", reason="needs .venv-spark (make interop)")
from iceblink import Iceblink  # noqa: E402
from rest_server import Server  # noqa: E402
from test_spark import spark  # noqa: E402,F401


@pytest.fixture(scope="module")
def lake(tmp_path_factory, spark):  # noqa: F811
    """(Iceblink session, Spark SQL function) over one server."""
    folder = tmp_path_factory.mktemp("rest")
    with Server(folder) as server:
        catalog = "spark.sql.catalog.served"
        for key, value in {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".uri": server.uri, ".cache-enabled": "false"}.items():
            spark.conf.set(catalog + key, value)
        with Iceblink(folder) as session:
            yield session, lambda text: [list(row) for row in spark.sql(text).collect()], server


def test_spark_creates_and_iceblink_continues(lake):
    session, sql, _ = lake
    sql("CREATE NAMESPACE served.d")
    sql("CREATE TABLE served.d.t (id BIGINT, data STRING) USING iceberg PARTITIONED BY (bucket(4, id))")
    sql("INSERT INTO served.d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    sql("DELETE FROM served.d.t WHERE id = 2")
    assert session.run("SELECT * FROM d.t ORDER BY id") == [[1, "a"], [3, "c"]]
    session.run("ALTER TABLE d.t ADD COLUMN more INT")
    session.run("MERGE INTO d.t t USING (SELECT 3 AS id UNION ALL SELECT 4) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET more = 7 WHEN NOT MATCHED THEN INSERT (id, data, more) VALUES (s.id, 'new', 8)")
    assert sql("SELECT * FROM served.d.t ORDER BY id") == [[1, "a", None], [3, "c", 7], [4, "new", 8]]


def test_staged_creation_replacement_branches_and_views(lake):
    session, sql, _ = lake
    sql("CREATE TABLE served.d.c USING iceberg AS SELECT 1 AS x")
    sql("CREATE OR REPLACE TABLE served.d.c USING iceberg AS SELECT 2 AS y, 'w' AS w")
    assert session.run("SELECT * FROM d.c") == [[2, "w"]]
    sql("ALTER TABLE served.d.c CREATE BRANCH audit")
    sql("INSERT INTO served.d.c.branch_audit VALUES (3, 'v')")
    assert session.run("SELECT y FROM d.c.branch_audit ORDER BY y") == [[2], [3]]
    sql("CALL served.system.fast_forward('d.c', 'main', 'audit')")
    assert session.run("SELECT count(*) FROM d.c") == [[2]]
    sql("CREATE VIEW served.d.v AS SELECT y FROM served.d.c")
    assert sql("SELECT count(*) FROM served.d.v") == [[2]]
    sql("ALTER VIEW served.d.v RENAME TO served.d.w")
    assert sql("SHOW VIEWS IN served.d")[0][1] == "w"


def test_v3_lineage_and_deletion_vectors(lake):
    session, sql, _ = lake
    session.run("CREATE TABLE d.v3 (id BIGINT, data STRING) USING iceberg TBLPROPERTIES "
                "('format-version'='3', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read')")
    session.run("INSERT INTO d.v3 SELECT id, concat('r', id) FROM range(10)")
    session.run("DELETE FROM d.v3 WHERE id % 3 = 0")
    sql("UPDATE served.d.v3 SET data = 'spark' WHERE id = 4")
    sql("DELETE FROM served.d.v3 WHERE id = 8")
    lineage = "SELECT id, data, _row_id, _last_updated_sequence_number FROM {}d.v3 ORDER BY id"
    assert session.run(lineage.format("")) == sql(lineage.format("served."))


def test_the_servers_plan(lake, spark):  # noqa: F811
    session, sql, server = lake
    catalog = "spark.sql.catalog.planned"
    for key, value in {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".uri": server.uri, ".scan-planning-mode": "server"}.items():
        spark.conf.set(catalog + key, value)
    session.run("CREATE TABLE d.p (id BIGINT) USING iceberg")
    for i in range(3):
        session.run(f"INSERT INTO d.p VALUES ({i})")
    assert sql("SELECT id FROM planned.d.p WHERE id >= 1 ORDER BY id") == [[1], [2]]
    assert server.metric("iceblink_http_requests_total", method="POST", status="200",
                         route="/v1/namespaces/{namespace}/tables/{table}/plan") >= 1
