"""Tables, commits, views and scans, by requests and through PyIceberg."""
import threading

import pyarrow as pa
import pytest
from rest_server import SCHEMA, make_table, quote
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import (
    CommitFailedException, NamespaceAlreadyExistsError, NoSuchTableError, TableAlreadyExistsError, ValidationException)
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

PY_SCHEMA = Schema(NestedField(1, "id", LongType(), required=False), NestedField(2, "data", StringType(), required=False))


def rows(*ids):
    return pa.table({"id": pa.array(ids, pa.int64()), "data": [f"row {i}" for i in ids]})


@pytest.fixture
def py(server):
    return RestCatalog("rest", uri=server.uri)


def commit(server, ns, name, updates, requirements=()):
    return server.send("POST", f"/v1/namespaces/{quote(ns)}/tables/{quote(name)}",
                       {"requirements": list(requirements), "updates": updates})


def set_property(key, value):
    return {"action": "set-properties", "updates": {key: value}}


def test_pyiceberg_writes_and_evolves(py, ns):
    table = py.create_table(f"{ns}.t", PY_SCHEMA)
    table.append(rows(1, 2, 3))
    table.overwrite(rows(9), overwrite_filter="id = 2")
    with table.update_schema() as change:
        change.add_column("more", LongType())
    assert sorted(py.load_table(f"{ns}.t").scan().to_arrow()["id"].to_pylist()) == [1, 3, 9]
    assert py.load_table(f"{ns}.t").schema().find_field("more").field_type == LongType()
    with pytest.raises(TableAlreadyExistsError):
        py.create_table(f"{ns}.t", PY_SCHEMA)
    py.rename_table(f"{ns}.t", f"{ns}.u")
    with pytest.raises(NoSuchTableError):
        py.load_table(f"{ns}.t")
    py.purge_table(f"{ns}.u")
    with pytest.raises(NamespaceAlreadyExistsError):
        py.create_namespace(ns)


def test_pyiceberg_creates_in_a_transaction(py, ns):
    with py.create_table_transaction(f"{ns}.t", PY_SCHEMA) as transaction:
        transaction.append(rows(1, 2))
    assert py.load_table(f"{ns}.t").scan().to_arrow().num_rows == 2


def test_two_pyiceberg_writers(py, ns):
    first = py.create_table(f"{ns}.t", PY_SCHEMA)
    second = py.load_table(f"{ns}.t")
    first.append(rows(1))
    with pytest.raises((CommitFailedException, ValidationException)):
        second.overwrite(rows(2))
    assert py.load_table(f"{ns}.t").scan().to_arrow()["id"].to_pylist() == [1]


def test_a_staged_table_is_not_there(server, ns):
    staged = make_table(server, [ns], "t", **{"stage-create": True})
    assert staged.status == 200 and "metadata-location" not in staged.json
    assert server.send("HEAD", f"/v1/namespaces/{ns}/tables/t").status == 404


def test_namespaces_are_strict(server):
    answer = make_table(server, ["missing"], "t")
    assert (answer.status, answer.error) == (404, "NoSuchNamespaceException")


def test_requirements(server, ns):
    make_table(server, [ns], "t")
    answer = commit(server, ns, "t", [set_property("a", "b")], [{"type": "assert-table-uuid", "uuid": "x"}])
    assert (answer.status, answer.error) == (409, "CommitFailedException")
    answer = commit(server, ns, "t", [set_property("a", "b")], [{"type": "assert-current-schema-id", "current-schema-id": 7}])
    assert answer.json["error"]["message"] == "Requirement failed: current schema changed: expected id 7 != 0"
    missing = commit(server, ns, "none", [set_property("a", "b")])
    assert (missing.status, missing.error) == (404, "NoSuchTableException")


def test_writers_at_once_lose_nothing(server, ns):
    make_table(server, [ns], "t")
    answers = []

    def write(writer):
        for i in range(10):
            answers.append(commit(server, ns, "t", [set_property(f"w{writer}.{i}", "1")]).status)

    threads = [threading.Thread(target=write, args=(w,)) for w in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert answers == [200] * 40
    properties = server.send("GET", f"/v1/namespaces/{ns}/tables/t").json["metadata"]["properties"]
    assert len([key for key in properties if key[:2] in ("w0", "w1", "w2", "w3")]) == 40


def change(ns, name, updates, requirements=()):
    return {"identifier": {"namespace": [ns], "name": name}, "requirements": list(requirements), "updates": updates}


def test_a_transaction_is_all_or_nothing(server, ns):
    uuids = [make_table(server, [ns], name).json["metadata"]["table-uuid"] for name in ("a", "b")]
    good = {"type": "assert-table-uuid", "uuid": uuids[0]}
    refused = server.send("POST", "/v1/transactions/commit", {"table-changes": [
        change(ns, "a", [set_property("k", "1")], [good]),
        change(ns, "b", [set_property("k", "1")], [{"type": "assert-table-uuid", "uuid": "other"}])]})
    assert (refused.status, refused.error) == (409, "CommitFailedException")
    for name in ("a", "b"):
        assert "k" not in server.send("GET", f"/v1/namespaces/{ns}/tables/{name}").json["metadata"]["properties"]
    done = server.send("POST", "/v1/transactions/commit", {"table-changes": [
        change(ns, "a", [set_property("k", "1")], [good]), change(ns, "b", [set_property("k", "2")])]})
    assert (done.status, done.text) == (204, "")
    values = [server.send("GET", f"/v1/namespaces/{ns}/tables/{n}").json["metadata"]["properties"]["k"] for n in ("a", "b")]
    assert values == ["1", "2"]


def test_namespace_properties(server, ns):
    path = f"/v1/namespaces/{ns}/properties"
    answer = server.send("POST", path, {"updates": {"a": "1", "b": "2"}, "removals": []})
    assert sorted(answer.json["updated"]) == ["a", "b"]
    answer = server.send("POST", path, {"removals": ["a", "z"], "updates": {}})
    assert (answer.json["removed"], answer.json["missing"]) == (["a"], ["z"])
    both = server.send("POST", path, {"removals": ["b"], "updates": {"b": "1"}})
    assert (both.status, both.error) == (422, "UnprocessableEntityException")


def test_a_full_namespace_is_not_dropped(server, ns):
    make_table(server, [ns], "t")
    answer = server.send("DELETE", f"/v1/namespaces/{ns}")
    assert (answer.status, answer.error) == (409, "NamespaceNotEmptyException")


def test_register_and_unregister(server, ns):
    location = make_table(server, [ns], "t").json["metadata-location"]
    path = f"/v1/namespaces/{ns}"
    assert server.send("POST", f"{path}/tables/t/unregister").json["metadata-location"] == location
    assert server.send("HEAD", f"{path}/tables/t").status == 404
    body = {"name": "u", "metadata-location": location}
    assert server.send("POST", f"{path}/register", body).json["metadata-location"] == location
    assert server.send("POST", f"{path}/register", body).status == 409
    assert server.send("POST", f"{path}/register", {**body, "overwrite": True}).status == 200
    missing = server.send("POST", f"{path}/register", {"name": "v", "metadata-location": location + ".no"})
    assert missing.status == 404, missing.text


def test_metrics_reports(server, ns):
    make_table(server, [ns], "t")
    path = f"/v1/namespaces/{ns}/tables/t/metrics"
    assert server.send("POST", path, {"report-type": "scan-report", "table-name": "t"}).status == 204
    assert server.send("POST", path, {"report-type": "weather"}).status == 400


def view(name, sql="SELECT 1 AS one"):
    return {"name": name, "schema": SCHEMA, "properties": {}, "view-version": {
        "version-id": 1, "timestamp-ms": 1700000000000, "schema-id": 0, "summary": {}, "default-namespace": [],
        "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}]}}


def test_views(server, ns):
    path = f"/v1/namespaces/{ns}"
    made = server.send("POST", f"{path}/views", view("v"))
    assert made.status == 200, made.text
    assert make_table(server, [ns], "v").status == 409
    assert server.send("GET", f"{path}/tables/v").error == "NoSuchTableException"
    version = {**view("v")["view-version"], "version-id": 2, "representations": [{"type": "sql", "sql": "SELECT 2", "dialect": "spark"}]}
    replaced = server.send("POST", f"{path}/views/v", {
        "requirements": [{"type": "assert-view-uuid", "uuid": made.json["metadata"]["view-uuid"]}],
        "updates": [{"action": "add-view-version", "view-version": version}, {"action": "set-current-view-version", "view-version-id": -1}]})
    assert replaced.json["metadata"]["current-version-id"] == 2
    rename = {"source": {"namespace": [ns], "name": "v"}, "destination": {"namespace": [ns], "name": "w"}}
    assert server.send("POST", "/v1/views/rename", rename).status == 204
    assert [i["name"] for i in server.send("GET", f"{path}/views").json["identifiers"]] == ["w"]
    assert server.send("DELETE", f"{path}/views/w").status == 204
    assert server.send("HEAD", f"{path}/views/w").status == 404


def test_pyiceberg_scans_by_the_servers_plan(server, py, ns):
    table = py.create_table(f"{ns}.t", PY_SCHEMA)
    for i in range(4):
        table.append(rows(i * 10, i * 10 + 1))
    planner = RestCatalog("rest", uri=server.uri, **{"scan-planning-mode": "server"})
    scan = planner.load_table(f"{ns}.t").scan(row_filter="id >= 30")
    assert len(list(scan.plan_files())) == 1
    assert sorted(scan.to_arrow()["id"].to_pylist()) == [30, 31]
    assert server.metric("iceblink_http_requests_total", route="/v1/namespaces/{namespace}/tables/{table}/plan") >= 1


def test_plans(server, py, ns):
    table = py.create_table(f"{ns}.t", PY_SCHEMA)
    table.append(rows(1))
    table.append(rows(2))
    path = f"/v1/namespaces/{ns}/tables/t"
    plan = server.send("POST", f"{path}/plan", {"filter": {"type": "eq", "term": "id", "value": 2}, "stats-fields": ["id"]}).json
    assert plan["status"] == "completed" and len(plan["file-scan-tasks"]) == 1
    assert plan["file-scan-tasks"][0]["data-file"]["record-count"] == 1
    polled = server.send("GET", f"{path}/plan/{plan['plan-id']}").json
    assert polled["file-scan-tasks"] == plan["file-scan-tasks"]
    assert server.send("DELETE", f"{path}/plan/{plan['plan-id']}").status == 204
    assert server.send("GET", f"{path}/plan/{plan['plan-id']}").json == {"status": "cancelled"}
    assert server.send("GET", f"{path}/plan/none").error == "NoSuchPlanIdException"
    assert server.send("POST", f"{path}/tasks", {"plan-task": "none"}).error == "NoSuchPlanTaskException"
    assert server.send("POST", f"{path}/plan", {"filter": {"type": "eq", "term": "nope", "value": 2}}).status == 400
    assert server.send("POST", f"{path}/plan", {"snapshot-id": 5}).status == 400
    snapshots = [s.snapshot_id for s in py.load_table(f"{ns}.t").metadata.snapshots]
    increment = {"start-snapshot-id": snapshots[0], "end-snapshot-id": snapshots[1]}
    assert len(server.send("POST", f"{path}/plan", increment).json["file-scan-tasks"]) == 1


def test_the_sql_shell_sees_the_same_tables(server, py, ns):
    from iceblink import Iceblink

    py.create_table(f"{ns}.t", PY_SCHEMA).append(rows(1, 2))
    with Iceblink(server.folder) as session:
        assert session.run(f"SELECT count(*) FROM {ns}.t") == [[2]]
        session.run(f"INSERT INTO {ns}.t VALUES (3, 'x')")
    assert py.load_table(f"{ns}.t").scan().to_arrow().num_rows == 3
