"""Tables on object stores: every kind of statement, what it costs in requests, and what failures say."""
import pytest

from iceblink import Iceblink, SqlError
from s3_proxy import S3Proxy

ALL_FILES_GONE = "TIMESTAMP '2100-01-01 00:00:00'"


def make(run, name, rows):
    run(f"CREATE TABLE db.{name} (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ('format-version'='3', "
        "'write.delete.mode'='merge-on-read', 'write.merge.mode'='merge-on-read')")
    run(f"INSERT INTO db.{name} SELECT id, concat('v', id) FROM range({rows})")


def test_life_of_a_table(store, tmp_path):
    with Iceblink(tmp_path, **store.conf(tmp_path)) as iceblink:
        run = iceblink.run
        run("CREATE NAMESPACE db")
        make(run, "t", 1000)
        run("MERGE INTO db.t t USING (SELECT id * 2 AS id FROM range(600)) s ON t.id = s.id WHEN MATCHED AND s.id < 100 THEN DELETE "
            "WHEN MATCHED THEN UPDATE SET s = 'm' WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'n')")
        assert run("SELECT count(*), sum(id), min(s), max(s) FROM db.t") == [[1050, 606950, "m", "v999"]]
        run("DELETE FROM db.t WHERE id < 200")
        assert run("SELECT count(*) FROM db.t") == [[900]]
        expired = run(f"CALL lake.system.expire_snapshots(table => 'db.t', older_than => {ALL_FILES_GONE}, retain_last => 1)")
        assert sum(expired[0]) > 0
        assert run("CALL lake.system.remove_orphan_files(table => 'db.t', older_than => TIMESTAMP '2020-01-01 00:00:00')") == []
        assert run("SELECT count(*), sum(id) FROM db.t") == [[900, 589500]]
        run("CALL lake.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))")
        assert run("SELECT count(*), sum(id) FROM db.t") == [[900, 589500]]
    with Iceblink(tmp_path, **store.conf(tmp_path)) as iceblink:
        assert iceblink.run("SELECT count(*), sum(id) FROM db.t") == [[900, 589500]]
        iceblink.run("DROP TABLE db.t PURGE")


def test_a_file_system_catalog(store, tmp_path):
    settings = {"type": "hadoop"}
    if not store.warehouse.startswith("s3:"):
        with Iceblink(tmp_path, **store.conf(tmp_path, **settings)) as iceblink:
            iceblink.run("CREATE NAMESPACE db")
            with pytest.raises(SqlError, match="exactly once: Iceblink has no conditional writes to (Google Cloud|Azure Blob) Storage, so two"):
                make(iceblink.run, "t", 10)
            assert iceblink.run("SHOW TABLES IN db") == []
            iceblink.run("DROP NAMESPACE db")
        settings["object-store.writers-in-one-process"] = "true"
    with Iceblink(tmp_path, **store.conf(tmp_path, **settings)) as iceblink:
        iceblink.run("CREATE NAMESPACE db")
        make(iceblink.run, "t", 10)
        iceblink.run("INSERT INTO db.t VALUES (10, 'x')")
        assert iceblink.run("SELECT count(*) FROM db.t") == [[11]]
        assert [row[1] for row in iceblink.run("SHOW TABLES IN db")] == ["t"]
        iceblink.run("DROP TABLE db.t PURGE")
        assert iceblink.run("SHOW TABLES IN db") == []
        iceblink.run("DROP NAMESPACE db")
        assert iceblink.run("SHOW NAMESPACES") == []


def test_large_files_go_up_in_parts(store, tmp_path):
    if store.warehouse.startswith("gs:"):
        pytest.skip("gcp-storage-emulator serves one connection at a time")
    with Iceblink(tmp_path, **store.conf(tmp_path)) as iceblink:
        iceblink.run("CREATE NAMESPACE db")
        iceblink.run("CREATE TABLE db.big (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ('write.parquet.compression-codec'='uncompressed')")
        iceblink.run("INSERT INTO db.big SELECT id, concat(md5(CAST(id AS STRING)), md5(CAST(-id AS STRING))) FROM range(400000)")
        assert iceblink.run("SELECT max(file_size_in_bytes) > 20000000 FROM db.big.files") == [[True]]
        assert iceblink.run("SELECT count(DISTINCT s), sum(id) FROM db.big") == [[400000, 79999800000]]


def test_a_cold_count_is_few_requests(store, tmp_path):
    if not store.warehouse.startswith("s3:"):
        pytest.skip("counted on S3 only")
    with Iceblink(tmp_path, **store.conf(tmp_path)) as iceblink:
        iceblink.run("CREATE NAMESPACE db")
        make(iceblink.run, "t", 1000)
    before = len(store.requests())
    with Iceblink(tmp_path, **store.conf(tmp_path)) as iceblink:
        assert iceblink.run("SELECT count(*) FROM db.t") == [[1000]]
    assert len(store.requests()) - before <= 6  # metadata and manifest list two each, manifest, footer


def test_many_small_files_go_up_at_once(s3, tmp_path):
    with S3Proxy(s3.port) as proxy, Iceblink(tmp_path, **s3.through(proxy).conf(tmp_path)) as iceblink:
        iceblink.run("CREATE NAMESPACE db")
        iceblink.run("CREATE TABLE db.many (id BIGINT, p INT) USING iceberg PARTITIONED BY (p)")
        proxy.plan = lambda method, path: "delay" if method == "PUT" else "none"
        iceblink.run("INSERT INTO db.many SELECT id, CAST(id % 100 AS INT) FROM range(1000)")
        assert 16 <= proxy.most_in_flight <= 40
        assert iceblink.run("SELECT count(*), count(DISTINCT p) FROM db.many") == [[1000, 100]]


def test_failures_keep_secrets(store, tmp_path):
    if not store.warehouse.startswith("s3:"):
        pytest.skip("S3's own errors")
    with Iceblink(tmp_path, **store.conf(tmp_path, warehouse="s3://no-such-bucket/w")) as iceblink:
        iceblink.run("CREATE NAMESPACE db")
        with pytest.raises(SqlError) as refused:
            iceblink.run("CREATE TABLE db.t (id BIGINT) USING iceberg")
        assert "password" not in str(refused.value)
    with Iceblink(tmp_path, **store.conf(tmp_path, **{"s3.sse.type": "kms"})) as iceblink:
        with pytest.raises(SqlError, match="Unsupported: s3.sse.type kms"):
            iceblink.run("CREATE TABLE db.t (id BIGINT) USING iceberg")
