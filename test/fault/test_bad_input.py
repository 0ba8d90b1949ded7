"""Broken files and folders: a clear error, the session goes on, and nothing on the disk has changed."""
import errno
import glob
import hashlib
import os
import pathlib
import subprocess

import pytest

from iceblink import Iceblink, SqlError, jdbc


def lake(folder):
    (folder / "warehouse").mkdir(exist_ok=True)
    return Iceblink(folder, **jdbc(folder))


def digest(folder):
    """Every file with a hash of what it holds, to see that nothing changed."""
    return {path: hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
            for path in glob.glob(f"{folder}/**/*", recursive=True) if os.path.isfile(path)}


@pytest.fixture
def table(tmp_path):
    """(folder, the only or newest file of a pattern) of a table with two data files and a table beside it that stays whole."""
    with lake(tmp_path) as session:
        session.run("CREATE NAMESPACE db")
        session.run("CREATE TABLE db.whole (id INT) USING iceberg")
        session.run("INSERT INTO db.whole VALUES (1)")
        session.run("CREATE TABLE db.t (id INT, v STRING) USING iceberg")
        session.run("INSERT INTO db.t VALUES (1, 'a')")
        session.run("INSERT INTO db.t VALUES (2, 'b')")
    return tmp_path, lambda pattern: max(glob.glob(f"{tmp_path}/warehouse/db/t/{pattern}"), key=os.path.getmtime)


STATEMENTS = ["SELECT * FROM db.t", "UPDATE db.t SET v = 'x'", "MERGE INTO db.t USING (SELECT 2 AS id, 'm' AS v) s ON t.id = s.id "
              "WHEN MATCHED THEN UPDATE SET *", "CALL system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))"]


def expect_failures(folder, statements, *words):
    before = digest(folder / "warehouse")
    with lake(folder) as session:
        for statement in statements:
            with pytest.raises(SqlError) as caught:
                session.run(statement)
            for word in words:
                assert word in str(caught.value), (statement, str(caught.value))
            assert caught.value.kind != "ProcessDied"
        assert session.run("SELECT id FROM db.whole") == [[1]]
    after = digest(folder / "warehouse")
    assert {path: after.get(path) for path in before} == before
    return set(after) - set(before)


def shorten(path, to):
    data = pathlib.Path(path).read_bytes()
    pathlib.Path(path).write_bytes(data[:int(len(data) * to)])


@pytest.mark.parametrize("content", [b"", b'{"format-version": 2, "table-uu', b"\x00\xff\x00", b"[]", b'{"format-version": 9}', b'{"format-version": "two"}'])
def test_corrupt_metadata_file(table, content):
    folder, newest = table
    path = newest("metadata/*.metadata.json")
    pathlib.Path(path).write_bytes(content)
    left = expect_failures(folder, STATEMENTS + ["INSERT INTO db.t VALUES (3, 'c')", "DESCRIBE db.t", "ALTER TABLE db.t ADD COLUMN n INT"], "metadata")
    assert not left


def test_missing_metadata_file(table):
    folder, newest = table
    path = newest("metadata/*.metadata.json")
    os.remove(path)
    left = expect_failures(folder, STATEMENTS + ["INSERT INTO db.t VALUES (3, 'c')"], os.path.basename(path))
    assert not left


@pytest.mark.parametrize("pattern", ["metadata/snap-*.avro", "metadata/*-m0.avro"])
@pytest.mark.parametrize("harm", ["cut", "noise", "empty", "gone"])
def test_corrupt_manifest(table, pattern, harm):
    folder, newest = table
    path = newest(pattern)
    if harm == "cut":
        shorten(path, 0.7)
    elif harm == "noise":
        data = bytearray(pathlib.Path(path).read_bytes())
        data[len(data) // 2:] = os.urandom(len(data) - len(data) // 2)
        pathlib.Path(path).write_bytes(data)
    elif harm == "empty":
        pathlib.Path(path).write_bytes(b"")
    else:
        os.remove(path)
    expect_failures(folder, STATEMENTS, os.path.basename(path))


@pytest.mark.parametrize("harm", ["cut", "empty", "noise", "gone"])
def test_broken_data_file(table, harm):
    folder, newest = table
    path = newest("data/*.parquet")
    if harm == "cut":
        shorten(path, 0.5)
    elif harm == "empty":
        pathlib.Path(path).write_bytes(b"")
    elif harm == "noise":
        pathlib.Path(path).write_bytes(os.urandom(1000))
    else:
        os.remove(path)
    left = expect_failures(folder, STATEMENTS, os.path.basename(path))
    assert not [name for name in left if name.endswith(".parquet")], "a failed statement removes what it wrote"


def test_warehouse_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    settings = jdbc(tmp_path) | {"spark.sql.catalog.local.warehouse": f"{tmp_path}/file/warehouse"}
    with Iceblink(tmp_path, **settings) as session:
        session.run("CREATE NAMESPACE db")
        with pytest.raises(SqlError, match="[Nn]ot a directory"):
            session.run("CREATE TABLE db.t (id INT) USING iceberg")
        assert session.run("SHOW TABLES IN db") == []
        with pytest.raises(SqlError, match="[Nn]ot a directory"):
            session.run("CREATE TABLE db.t USING iceberg AS SELECT 1 AS id")
        assert session.run("SHOW TABLES IN db") == []
    assert (tmp_path / "file").read_text() == "not a folder"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("only root can mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.parametrize("statement", ["INSERT INTO db.t SELECT id, uuid() FROM range(1000000)",
                                       "MERGE INTO db.t USING (SELECT id, uuid() AS v FROM range(1000000)) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"])
def test_full_disk(tmp_path, small_disk, statement):
    settings = jdbc(tmp_path) | {"spark.sql.catalog.local.warehouse": str(small_disk)}
    with Iceblink(tmp_path, **settings) as session:
        session.run("CREATE NAMESPACE db")
        session.run("CREATE TABLE db.t (id BIGINT, v STRING) USING iceberg")
        session.run("INSERT INTO db.t VALUES (-1, 'first')")
        before = digest(small_disk)
        with pytest.raises(SqlError, match=os.strerror(errno.ENOSPC)):
            session.run(statement)
        assert digest(small_disk) == before, "the space is free again"
        session.run("INSERT INTO db.t VALUES (-2, 'second')")
        assert session.run("SELECT count(*) FROM db.t") == [[2]]


@pytest.mark.parametrize("statement", ["INSERT INTO db.t SELECT id, CAST(1 / (id - 299999) AS STRING) FROM range(300000)",
                                       "UPDATE db.t SET v = CAST(1 / (id - 1) AS STRING)",
                                       "INSERT OVERWRITE db.t SELECT id, CAST(1 / (id - 299999) AS STRING) FROM range(300000)"])
def test_failed_statement_leaves_only_what_orphan_removal_finds(tmp_path, statement):
    with lake(tmp_path) as session:
        session.run("CREATE NAMESPACE db")
        session.run("CREATE TABLE db.t (id BIGINT, v STRING) USING iceberg PARTITIONED BY (bucket(4, id))")
        session.run("INSERT INTO db.t SELECT id, 'x' FROM range(1000)")
        before = digest(tmp_path / "warehouse")
        with pytest.raises(SqlError) as caught:
            session.run(statement)
        assert caught.value.kind.startswith("DIVIDE_BY_ZERO")
        left = set(digest(tmp_path / "warehouse")) - set(before)
        for path in left:
            os.utime(path, (1, 1))
        found = {row[0].removeprefix("file:") for row in session.run("CALL system.remove_orphan_files(table => 'db.t', dry_run => true)")}
        assert found == left
        assert session.run("SELECT count(*) FROM db.t.snapshots") == [[1]]


def test_killed_writer_leaves_only_what_orphan_removal_finds(tmp_path):
    with lake(tmp_path) as session:
        session.run("CREATE NAMESPACE db")
        session.run("CREATE TABLE db.t (id BIGINT, v STRING) USING iceberg")
        session.run("INSERT INTO db.t VALUES (1, 'x')")
        before = digest(tmp_path / "warehouse")
        victim = lake(tmp_path)
        victim.start("INSERT INTO db.t SELECT id, uuid() FROM range(30000000)")
        while set(glob.glob(f"{tmp_path}/warehouse/db/t/data/*")) <= set(before):
            pass
        victim.process.kill()
        victim.process.wait()
        left = set(digest(tmp_path / "warehouse")) - set(before)
        assert left
        for path in left:
            os.utime(path, (1, 1))
        session.run("CALL system.remove_orphan_files(table => 'db.t')")
        assert digest(tmp_path / "warehouse") == before
        assert session.run("SELECT count(*) FROM db.t") == [[1]]
