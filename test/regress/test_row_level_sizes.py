"""A row-level change is one thing whatever its size: files are rewritten by a scan where the acted rows are few, by a join
where they may be many, on one thread or on several. All ways must leave the same rows and row ids."""
import pytest

from iceblink import Iceblink, jdbc

ROWS = 600_000
CHANGES = {
    "few": "MERGE INTO {t} t USING (SELECT id * 101 AS id FROM range(2000)) s ON t.id = s.id WHEN MATCHED AND s.id % 2 = 0 THEN DELETE "
           "WHEN MATCHED THEN UPDATE SET c = 'new' WHEN NOT MATCHED THEN INSERT (id, c) VALUES (-s.id, 'new')",
    "many": "MERGE INTO {t} t USING (SELECT id * 2 AS id FROM range(450000)) s ON t.id = s.id WHEN MATCHED AND s.id % 3 = 0 THEN DELETE "
            "WHEN MATCHED THEN UPDATE SET c = 'new' WHEN NOT MATCHED THEN INSERT (id, c) VALUES (-s.id, 'new')",
    "by source": "MERGE INTO {t} t USING (SELECT id FROM range(1000)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET c = 'new' "
                 "WHEN NOT MATCHED BY SOURCE AND t.id % 5 = 0 THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id % 7 = 0 THEN UPDATE SET c = 'old'",
    "update": "UPDATE {t} SET c = 'new' WHERE id % 100 = 7",
    "delete": "DELETE FROM {t} WHERE id % 100 = 7",
}
DIGEST = "SELECT count(*), sum(id), sum(hash(id, c)), sum(CASE WHEN c = 'new' THEN 1 ELSE 0 END) FROM {t}"
LINEAGE = "SELECT sum(_row_id), count(DISTINCT _row_id), sum(_last_updated_sequence_number) FROM {t} WHERE c <> 'new' AND c <> 'old'"


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sizes")
    (folder / "warehouse").mkdir()
    with Iceblink(folder, **jdbc(folder)) as session:
        session.run("CREATE NAMESPACE db")
        yield session


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("kind", CHANGES)
def test_modes_agree(session, kind, version):
    answers = {}
    for mode in ("copy-on-write", "merge-on-read"):
        t = f"db.{kind.replace(' ', '_')}_{version}_{mode[:4]}"
        modes = ", ".join(f"'write.{operation}.mode'='{mode}'" for operation in ("merge", "update", "delete"))
        session.run(f"CREATE TABLE {t} USING iceberg TBLPROPERTIES ('format-version'='{version}', {modes}) AS "
                    f"SELECT id, concat('c', id % 10) c FROM range({ROWS})")
        # An earlier delete must stay in force through the rewrite.
        session.run(f"ALTER TABLE {t} SET TBLPROPERTIES ('write.delete.mode'='merge-on-read')")
        session.run(f"DELETE FROM {t} WHERE id % 1000 = 999")
        session.run(f"ALTER TABLE {t} SET TBLPROPERTIES ('write.delete.mode'='{mode}')")
        session.run(CHANGES[kind].format(t=t))
        answers[mode] = [session.run(DIGEST.format(t=t)), session.run(LINEAGE.format(t=t)) if version == 3 else None]
    assert answers["copy-on-write"] == answers["merge-on-read"]
    assert answers["copy-on-write"][0][0][0] != ROWS - ROWS // 1000 or kind == "update"
