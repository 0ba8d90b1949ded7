"""Commits of a file-system catalog on S3: two processes, as of two machines, race for every version; each is won once."""
import threading

import pytest

from iceblink import Iceblink, SqlError, append_from_two
from s3_proxy import S3Proxy

APPENDS = 8
PATIENT = "TBLPROPERTIES ('commit.retry.num-retries'='100', 'commit.retry.min-wait-ms'='1', 'commit.retry.max-wait-ms'='50')"


def is_version(path):
    return path.split("?")[0].endswith(".metadata.json") and "/metadata/v" in path


def test_every_append_of_two_processes_lands_once(s3, tmp_path):
    with S3Proxy(s3.port) as proxy:
        conf = s3.through(proxy).conf(tmp_path, type="hadoop")
        (tmp_path / "elsewhere").mkdir()
        with Iceblink(tmp_path, **conf) as one, Iceblink(tmp_path, temp=tmp_path / "elsewhere", **conf) as two:
            one.run("CREATE NAMESPACE db")
            one.run(f"CREATE TABLE db.t (writer INT, n INT) USING iceberg {PATIENT}")
            proxy.plan = lambda method, path: "meet" if method == "PUT" and is_version(path) else "none"
            append_from_two(one, two, APPENDS, before=threading.Barrier(2).wait)
        created = [path for method, path, condition, status in proxy.answered if method == "PUT" and is_version(path) and status == 200]
        assert len(created) == len(set(created)) == 2 * APPENDS + 1


# What the proxy does to the request that creates version 3, and whether the store may have acted on it.
FAULTS = ["drop_request", "drop_response", "arrive_late", "duplicate", "duplicate_unseen", "answer_409", "answer_503", "act_and_answer_500"]


@pytest.mark.parametrize("fault", FAULTS)
def test_an_append_lands_once_whatever_happens_to_its_request(s3, tmp_path, fault):
    with S3Proxy(s3.port) as proxy, Iceblink(tmp_path, **s3.through(proxy).conf(tmp_path, type="hadoop")) as iceblink:
        iceblink.run("CREATE NAMESPACE db")
        iceblink.run("CREATE TABLE db.t (n INT) USING iceberg")
        iceblink.run("INSERT INTO db.t VALUES (1)")
        proxy.once(fault, "PUT", "/v3.metadata.json")
        iceblink.run("INSERT INTO db.t VALUES (2)")
        proxy.settle()
        iceblink.run("INSERT INTO db.t VALUES (3)")
        assert iceblink.run("SELECT n FROM db.t ORDER BY n") == [[1], [2], [3]]
        assert iceblink.run("SELECT count(*) FROM db.t.snapshots") == [[3]]


def test_a_commit_that_never_gets_an_answer_is_unknown_and_keeps_its_files(s3, tmp_path):
    settings = {"type": "hadoop", "s3.retry.num-retries": "1"}
    with S3Proxy(s3.port) as proxy, Iceblink(tmp_path, **s3.through(proxy).conf(tmp_path, **settings)) as iceblink:
        iceblink.run("CREATE NAMESPACE db")
        iceblink.run("CREATE TABLE db.t (n INT) USING iceberg TBLPROPERTIES ('commit.status-check.num-retries'='1')")
        iceblink.run("INSERT INTO db.t VALUES (1)")
        begun = []  # from the moment that version 3 is written nothing is heard of it

        def silence(method, path):
            if not path.endswith("/v3.metadata.json"):
                return "none"
            begun.extend([1] if method == "PUT" else [])
            return "drop_request" if begun else "none"

        proxy.plan = silence
        with pytest.raises(SqlError) as unknown:
            iceblink.run("INSERT INTO db.t VALUES (2)")
        assert unknown.value.kind == "CommitStateUnknownException"
        proxy.plan = lambda method, path: "none"
        assert iceblink.run("SELECT n FROM db.t") == [[1]]


@pytest.mark.parametrize("fault, why", [("answer_501", "the store has no conditional writes"), ("unconditional", "the store passes over If-None-Match")])
def test_a_store_without_conditional_writes_is_refused_by_name(s3, tmp_path, fault, why):
    with S3Proxy(s3.port) as proxy:
        here = s3.through(proxy)
        proxy.plan = lambda method, path: fault if method == "PUT" and path.endswith((".probe", ".json")) else "none"
        with Iceblink(tmp_path, **here.conf(tmp_path, type="hadoop")) as iceblink:
            iceblink.run("CREATE NAMESPACE db")
            with pytest.raises(SqlError, match=f"exactly once: {why}, so two writers could overwrite each other's commits"):
                iceblink.run("CREATE TABLE db.t (n INT) USING iceberg")
            assert iceblink.run("SHOW TABLES IN db") == []
        assert not any(is_version(path) for method, path, *_ in proxy.answered if method == "PUT")
        proxy.plan = lambda method, path: "none"
        with Iceblink(tmp_path, **here.conf(tmp_path, type="hadoop", **{"object-store.writers-in-one-process": "true"})) as iceblink:
            iceblink.run("CREATE TABLE db.t (n INT) USING iceberg")
            iceblink.run("INSERT INTO db.t VALUES (1)")
            assert iceblink.run("SELECT n FROM db.t") == [[1]]
        # Catalogs with a pointer need nothing of the store.
        proxy.answered.clear()
        with Iceblink(tmp_path, **here.conf(tmp_path)) as iceblink:
            iceblink.run("CREATE NAMESPACE other")
            iceblink.run("CREATE TABLE other.t (n INT) USING iceberg")
            iceblink.run("INSERT INTO other.t VALUES (1)")
        assert {condition for method, _, condition, _ in proxy.answered if method == "PUT"} == {None}
