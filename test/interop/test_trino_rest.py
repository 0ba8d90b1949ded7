"""Trino and Iceblink on one REST catalog. Skips without a Trino server ($TRINO_HOME or third_party/peers) and Java 24 or newer."""
import glob
import os
import pathlib
import socket
import subprocess
import time
import urllib.request

import pytest

trino = pytest.importorskip("trino", reason="needs the peers (make interop)")
from iceblink import Iceblink  # noqa: E402
from rest_server import ROOT, Server  # noqa: E402

HOME = pathlib.Path(os.environ.get("TRINO_HOME", ROOT / "third_party/peers/trino-server-476"))
JAVA = next(iter(sorted(glob.glob("/usr/lib/jvm/*-2[4-9]*"), reverse=True)), os.environ.get("JAVA_HOME_25"))
CATALOG = "spark.sql.catalog.lake"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trino")
    return folder, {CATALOG: "org.apache.iceberg.spark.SparkCatalog", f"{CATALOG}.type": "jdbc", f"{CATALOG}.uri": f"jdbc:sqlite:{folder}/c.db",
                    f"{CATALOG}.warehouse": f"file://{folder}/warehouse", f"{CATALOG}.jdbc.schema-version": "V1", "spark.sql.defaultCatalog": "lake"}


@pytest.fixture(scope="module")
def server(settings):
    folder, conf = settings
    with Server(folder, **conf) as server:
        yield server


@pytest.fixture(scope="module")
def sql(server, tmp_path_factory):
    """Runs a statement in Trino; answers rows as lists."""
    if not (HOME / "bin/launcher").exists() or not JAVA:
        pytest.skip("no Trino server or no Java 24+")
    etc, port = tmp_path_factory.mktemp("etc"), free_port()
    files = {"node.properties": f"node.environment=test\nnode.id=test\nnode.data-dir={etc}/data\n",
             "config.properties": f"coordinator=true\nnode-scheduler.include-coordinator=true\nhttp-server.http.port={port}\n"
                                  f"discovery.uri=http://127.0.0.1:{port}\n",
             "jvm.config": "-server\n-Xmx1500M\n--add-modules=jdk.incubator.vector\n", "log.properties": "io.trino=WARN\n",
             "catalog/ice.properties": f"connector.name=iceberg\niceberg.catalog.type=rest\niceberg.rest-catalog.uri={server.uri}\n"
                                       "fs.hadoop.enabled=true\n"}
    for name, text in files.items():
        (etc / name).parent.mkdir(exist_ok=True)
        (etc / name).write_text(text)
    env = dict(os.environ, JAVA_HOME=JAVA, PATH=f"{JAVA}/bin:{os.environ['PATH']}")
    process = subprocess.Popen([HOME / "bin/launcher", "run", "--etc-dir", etc], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        for _ in range(180):
            try:
                if '"starting":false' in urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/info", timeout=2).read().decode():
                    break
            except OSError:
                pass
            time.sleep(1)
        connection = trino.dbapi.connect(host="127.0.0.1", port=port, user="test", catalog="ice")

        def run(text):
            cursor = connection.cursor()
            cursor.execute(text)
            return [list(row) for row in cursor.fetchall()]

        for _ in range(60):  # the only worker announces itself some time after the start
            try:
                if run("SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'") != [[0]]:
                    break
            except trino.exceptions.TrinoQueryError:
                pass
            time.sleep(1)
        yield run
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture(scope="module")
def ice(settings, server):
    folder, conf = settings
    with Iceblink(folder, **conf) as session:
        yield session


def test_trino_creates_and_iceblink_continues(sql, ice):
    sql("CREATE SCHEMA ice.d")
    sql("CREATE TABLE ice.d.t (id BIGINT, data VARCHAR, day DATE) WITH (partitioning = ARRAY['month(day)'])")
    sql("INSERT INTO ice.d.t VALUES (1, 'a', DATE '2026-01-01'), (2, 'b', DATE '2026-02-01'), (3, 'c', DATE '2026-02-02')")
    sql("UPDATE ice.d.t SET data = 'z' WHERE id = 2")
    sql("DELETE FROM ice.d.t WHERE id = 3")
    assert ice.run("SELECT id, data FROM d.t ORDER BY id") == [[1, "a"], [2, "z"]]
    ice.run("INSERT INTO d.t VALUES (4, 'd', DATE '2026-03-01')")
    ice.run("ALTER TABLE d.t ADD COLUMN more DOUBLE")
    ice.run("UPDATE d.t SET more = 1.5 WHERE id = 4")
    assert sql("SELECT id, data, more FROM ice.d.t ORDER BY id") == [[1, "a", None], [2, "z", None], [4, "d", 1.5]]


def test_trino_evolves_and_maintains(sql, ice):
    ice.run("CREATE TABLE d.e (id BIGINT, old STRING) USING iceberg PARTITIONED BY (bucket(4, id)) "
            "TBLPROPERTIES ('write.delete.mode'='merge-on-read', 'write.merge.mode'='merge-on-read')")
    for i in range(3):
        ice.run(f"INSERT INTO d.e VALUES ({i}, 'r{i}')")
    ice.run("DELETE FROM d.e WHERE id = 1")
    sql("ALTER TABLE ice.d.e RENAME COLUMN old TO name")
    sql("MERGE INTO ice.d.e t USING (VALUES (2, 'two'), (9, 'nine')) s(id, name) ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)")
    expected = [[0, "r0"], [2, "two"], [9, "nine"]]
    assert ice.run("SELECT id, name FROM d.e ORDER BY id") == expected == sql("SELECT id, name FROM ice.d.e ORDER BY id")
    sql("ALTER TABLE ice.d.e EXECUTE optimize")
    sql("ANALYZE ice.d.e")
    assert ice.run("SELECT id, name FROM d.e ORDER BY id") == expected


def test_views_replacements_and_names(sql, ice):
    sql("CREATE TABLE ice.d.r AS SELECT 1 AS x")
    sql("CREATE OR REPLACE TABLE ice.d.r AS SELECT 2 AS y, 'w' AS w")
    assert ice.run("SELECT * FROM d.r") == [[2, "w"]]
    sql("CREATE VIEW ice.d.v AS SELECT y FROM ice.d.r")
    assert sql("SELECT * FROM ice.d.v") == [[2]]
    sql("ALTER TABLE ice.d.r RENAME TO s")
    assert ice.run("SELECT y FROM d.s") == [[2]]
    sql("DROP VIEW ice.d.v")
    sql("DROP TABLE ice.d.s")
    assert [row[1] for row in ice.run("SHOW TABLES IN d")] == ["e", "t"]
