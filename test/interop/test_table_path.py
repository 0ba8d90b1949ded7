"""rewrite_table_path: its file list, carried out, makes a table under the new prefix that holds the same rows."""
import csv
import pathlib
import shutil

import pytest
from pyiceberg.table import StaticTable

from iceblink import Iceblink, SqlError, jdbc


@pytest.fixture
def session(tmp_path):
    (tmp_path / "warehouse").mkdir()
    with Iceblink(tmp_path, **jdbc(tmp_path)) as session:
        session.run("CREATE NAMESPACE db")
        yield session


def call(session, tmp_path, staging, more=""):
    ((latest, listed, manifests, deletes),) = session.run(
        f"CALL local.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:{tmp_path}/a', target_prefix => 'file:{tmp_path}/b', "
        f"staging_location => 'file:{tmp_path}/{staging}' {more})")
    return latest, listed, manifests, deletes


def carry_out(listed):
    with open(listed.removeprefix("file:")) as file:
        pairs = [[pathlib.Path(p.removeprefix("file:")) for p in row] for row in csv.reader(file)]
    for source, target in pairs:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return pairs


def make(session, tmp_path, version, more=""):
    session.run(f"CREATE TABLE db.t (id INT, dep STRING) USING iceberg PARTITIONED BY (dep) LOCATION 'file:{tmp_path}/a/t' "
                f"TBLPROPERTIES ('format-version'='{version}', 'write.delete.mode'='merge-on-read' {more})")
    session.run("INSERT INTO db.t SELECT CAST(id AS INT), concat('d', id % 3) FROM range(90)")
    session.run("DELETE FROM db.t WHERE id IN (4, 5, 60)")
    session.run("INSERT INTO db.t VALUES (1000, 'd1')")


ROWS = "SELECT count(*), sum(id), count(DISTINCT dep) FROM db.{}"


@pytest.mark.parametrize("version, more", [(2, ""), (2, ", 'write.delete.granularity'='partition'"), (3, "")])
def test_the_copy_stands_alone(session, tmp_path, version, more):
    make(session, tmp_path, version, more)
    session.run("CALL local.system.compute_table_stats('db.t')")
    session.run("CALL local.system.compute_partition_stats('db.t')")
    want = session.run(ROWS.format("t"))
    lineage = session.run("SELECT id, _row_id FROM db.t ORDER BY id") if version == 3 else None
    latest, listed, manifests, deletes = call(session, tmp_path, "stage")
    assert (manifests, deletes) == (3, 3)
    pairs = carry_out(listed)
    assert all(str(target).startswith(f"{tmp_path}/b/") for _, target in pairs)
    shutil.rmtree(tmp_path / "a")
    shutil.rmtree(tmp_path / "stage")
    session.run(f"CALL local.system.register_table('db.moved', 'file:{tmp_path}/b/t/metadata/{latest}')")
    assert session.run(ROWS.format("moved")) == want
    if lineage:
        assert session.run("SELECT id, _row_id FROM db.moved ORDER BY id") == lineage
    for history in ("history", "metadata_log_entries", "all_manifests", "all_files"):
        assert session.run(f"SELECT count(*) FROM db.moved.{history}")[0][0] > 0
    assert session.run("SELECT count(*) FROM db.moved.files WHERE NOT startswith(file_path, 'file:%s/b/')" % tmp_path) == [[0]]
    session.run("DELETE FROM db.moved WHERE id = 7")
    session.run("INSERT INTO db.moved VALUES (2000, 'd2')")
    assert session.run("SELECT count(*), max(id) FROM db.moved") == [[want[0][0], 2000]]
    if version == 2:
        table = StaticTable.from_metadata(f"{tmp_path}/b/t/metadata/{latest}")
        assert table.scan().to_arrow().num_rows == want[0][0]


def test_a_second_run_carries_what_came_since(session, tmp_path):
    make(session, tmp_path, 2)
    first, listed, _, _ = call(session, tmp_path, "stage1")
    carry_out(listed)
    session.run("INSERT INTO db.t VALUES (3000, 'd0')")
    session.run("DELETE FROM db.t WHERE id = 9")
    latest, listed, manifests, deletes = call(session, tmp_path, "stage2", f", start_version => '{first}'")
    assert (manifests, deletes) == (3, 3)
    assert len(carry_out(listed)) == 2 + 2 + 3 + 2  # versions, lists, manifests, a data and a delete file
    session.run(f"CALL local.system.register_table('db.moved', 'file:{tmp_path}/b/t/metadata/{latest}')")
    assert session.run(ROWS.format("moved")) == session.run(ROWS.format("t"))


def test_files_of_expired_snapshots_are_carried_too(session, tmp_path):
    make(session, tmp_path, 2, ", 'write.metadata.previous-versions-max'='1'")
    session.run("CALL local.system.expire_snapshots(table => 'db.t', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)")
    session.run("ALTER TABLE db.t SET TBLPROPERTIES ('a' = 'b')")
    session.run("ALTER TABLE db.t SET TBLPROPERTIES ('a' = 'c')")
    latest, listed, _, _ = call(session, tmp_path, "stage")
    carry_out(listed)
    want = session.run(ROWS.format("t"))
    shutil.rmtree(tmp_path / "a")
    session.run(f"CALL local.system.register_table('db.moved', 'file:{tmp_path}/b/t/metadata/{latest}')")
    assert session.run(ROWS.format("moved")) == want


def test_what_lies_elsewhere_is_refused_and_nothing_written(session, tmp_path):
    make(session, tmp_path, 2)
    session.run(f"ALTER TABLE db.t SET TBLPROPERTIES ('write.data.path' = 'file:{tmp_path}/elsewhere')")
    session.run("INSERT INTO db.t VALUES (3000, 'd0')")
    with pytest.raises(SqlError, match="Encountered data file .*elsewhere.* not under the source prefix"):
        call(session, tmp_path, "stage")
    assert not (tmp_path / "stage" / "file-list").exists()
