"""What travels: routes, lists in pages, ETags, idempotency, errors, limits."""
import socket
import threading
import time
import uuid

import pytest
from rest_server import SCHEMA, make_namespace, make_table, quote


def test_config_names_what_the_server_does(server):
    config = server.send("GET", "/v1/config?warehouse=anything").json
    assert "POST /v1/{prefix}/transactions/commit" in config["endpoints"]
    assert "GET /v1/{prefix}/namespaces/{namespace}/views/{view}" in config["endpoints"]
    assert config["idempotency-key-lifetime"] == "PT30M"
    assert "prefix" not in config["overrides"]


def test_health_and_metrics(server):
    assert server.send("GET", "/health/live").status == 200
    assert server.send("GET", "/health/ready").json == {"status": "up"}
    before = server.metric("iceblink_http_requests_total", route="/v1/config", status="200")
    server.send("GET", "/v1/config")
    assert server.metric("iceblink_http_requests_total", route="/v1/config", status="200") == before + 1


def test_the_catalogs_name_is_a_prefix(server, ns):
    assert server.send("GET", f"/v1/local/namespaces/{ns}").status == 200
    missing = server.send("GET", "/v1/nowhere/namespaces")
    assert (missing.status, missing.error) == (404, "NoSuchCatalogException")


def test_pages(server, ns):
    for i in range(5):
        assert make_table(server, [ns], f"t{i}").status == 200
    path = f"/v1/namespaces/{ns}/tables"
    everything = server.send("GET", path).json
    assert len(everything["identifiers"]) == 5 and everything["next-page-token"] is None
    names, token = [], ""
    while token is not None:
        page = server.send("GET", f"{path}?pageSize=2&pageToken={token}").json
        names += [i["name"] for i in page["identifiers"]]
        token = page["next-page-token"]
    assert names == [f"t{i}" for i in range(5)]
    assert server.send("GET", f"{path}?pageSize=0&pageToken=").status == 400
    assert server.send("GET", f"{path}?pageToken=%25%25").status == 400


def test_a_page_token_survives_a_drop(server, ns):
    for i in range(4):
        make_table(server, [ns], f"t{i}")
    path = f"/v1/namespaces/{ns}/tables"
    token = server.send("GET", f"{path}?pageSize=2&pageToken=").json["next-page-token"]
    assert server.send("DELETE", f"{path}/t1").status == 204
    page = server.send("GET", f"{path}?pageSize=2&pageToken={token}").json
    assert [i["name"] for i in page["identifiers"]] == ["t2", "t3"]


def test_etag_and_not_modified(server, ns):
    created = make_table(server, [ns], "t")
    path = f"/v1/namespaces/{ns}/tables/t"
    loaded = server.send("GET", path)
    tag = loaded.headers["etag"]
    assert created.headers["etag"] == tag
    again = server.send("GET", path, headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status, again.text) == (304, "")
    assert server.send("GET", path + "?snapshots=refs").headers["etag"] != tag
    changed = server.send("POST", path, {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]})
    assert changed.status == 200 and changed.headers["etag"] != tag
    assert server.send("GET", path, headers={"If-None-Match": tag}).status == 200


def test_a_key_makes_a_repeated_request_one(server, ns):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    body = {"name": "t", "schema": SCHEMA}
    first = server.send("POST", f"/v1/namespaces/{ns}/tables", body, key)
    again = server.send("POST", f"/v1/namespaces/{ns}/tables", body, key)
    assert (first.status, again.status) == (200, 200)
    assert first.json["metadata"]["table-uuid"] == again.json["metadata"]["table-uuid"]
    assert make_table(server, [ns], "t").status == 409
    other = server.send("POST", f"/v1/namespaces/{ns}/tables", {**body, "name": "u"}, key)
    assert (other.status, other.error) == (422, "UnprocessableEntityException")
    malformed = server.send("POST", f"/v1/namespaces/{ns}/tables", body, {"Idempotency-Key": "x"})
    assert malformed.status == 400


def test_a_conflict_is_replayed_too(server, ns):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    path = f"/v1/namespaces/{ns}/tables"
    make_table(server, [ns], "t")
    assert server.send("POST", path, {"name": "t", "schema": SCHEMA}, key).status == 409
    assert server.send("DELETE", f"{path}/t").status == 204
    assert server.send("POST", path, {"name": "t", "schema": SCHEMA}, key).status == 409


def test_requests_at_once_with_one_key_run_once(server, ns):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    answers = []
    body = {"name": "t", "schema": SCHEMA}
    threads = [threading.Thread(target=lambda: answers.append(server.send("POST", f"/v1/namespaces/{ns}/tables", body, key)))
               for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert [a.status for a in answers] == [200] * 8
    assert len({a.json["metadata-location"] for a in answers}) == 1


@pytest.mark.parametrize("levels", [["a b"], ["a.b"], ["a/b"], ["ünï"], ["🧊"], ["a", "b.c", "d/e"], ["%1F"], ["a+b"], ["'"], ["\\"], [".."]])
def test_odd_names(server, levels):
    levels = [f"odd {time.time_ns()}"] + levels
    make_namespace(server, levels[0])
    for depth in range(2, len(levels) + 1):
        make_namespace(server, *levels[:depth])
    listed = server.send("GET", f"/v1/namespaces?parent={quote(*levels[:-1])}").json["namespaces"]
    assert listed == [levels]
    assert server.send("GET", f"/v1/namespaces/{quote(*levels)}").json["namespace"] == levels
    for name in ("t 1", "t.1", "t/1", "🧊", "..", "%1F", "a?b#c"):
        made = make_table(server, levels, name)
        assert made.status == 200, made.text
        path = f"/v1/namespaces/{quote(*levels)}/tables/{quote(name)}"
        assert server.send("GET", path).json["metadata"]["table-uuid"] == made.json["metadata"]["table-uuid"]
        assert server.send("HEAD", path).status == 204
        assert server.send("DELETE", path + "?purgeRequested=true").status == 204
    assert server.send("GET", f"/v1/namespaces/{quote(*levels)}/tables").json["identifiers"] == []
    assert server.send("DELETE", f"/v1/namespaces/{quote(*levels)}").status == 204


def test_odd_names_lie_inside_of_the_warehouse_and_apart(server, ns):
    locations = {make_table(server, [ns], name).json["metadata"]["location"] for name in ("..", ".", "a/b", "a%2Fb", "a")}
    warehouse = str(server.folder / "warehouse" / ns) + "/"
    assert len(locations) == 5
    assert all(location.removeprefix("file://").startswith(warehouse) and "/../" not in location for location in locations)


@pytest.mark.parametrize("body, status", [
    ("{", 400), ("[]", 400), ("", 400), ('"x"', 400), ("{}", 400), ('{"name": 1}', 400), ("[" * 100000, 400),
    ('{"name": "x", "schema": {"type": "struct", "fields": [{"id": 1, "name": "a", "type": "nonsense", "required": true}]}}', 400),
    ('{"name": "", "schema": {"type": "struct", "fields": []}}', 400),
    ('{"name": "x\\u0000y", "schema": {"type": "struct", "fields": []}}', 400),
    (b"\xff\xfe", 400),
])
def test_bad_bodies(server, ns, body, status):
    answer = server.send("POST", f"/v1/namespaces/{ns}/tables", body)
    assert answer.status == status, answer.text
    assert answer.json["error"]["code"] == status and answer.json["error"]["message"]


def test_unknown_members_are_ignored_and_unknown_updates_refused(server, ns):
    assert make_table(server, [ns], "t", something={"else": 1}).status == 200
    path = f"/v1/namespaces/{ns}/tables/t"
    assert server.send("POST", path, {"requirements": [], "updates": [{"action": "fly"}]}).status == 400
    assert server.send("POST", path, {"requirements": [{"type": "assert-moon"}], "updates": []}).status == 400


def test_unknown_paths_and_methods(server):
    missing = server.send("GET", "/v1/nothing/here/at/all/really")
    assert (missing.status, missing.error) == (404, "NotFoundException")
    wrong = server.send("PUT", "/v1/namespaces")
    assert (wrong.status, wrong.error) == (405, "UnsupportedOperationException")


def test_a_body_that_is_too_large(start):
    server = start(**{"iceblink.http.max-body-bytes": "1000"})
    answer = server.send("POST", "/v1/namespaces", "x" * 2000)
    assert (answer.status, answer.json["error"]["code"]) == (413, 413)
    assert server.send("GET", "/health/live").status == 200


def test_slow_and_idle_clients_do_not_block_others(start):
    server = start(**{"iceblink.http.request-timeout-ms": "1000"})
    slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    for connection in slow:
        connection.sendall(b"GET /v1/con")
    began = time.time()
    assert server.send("GET", "/v1/config").status == 200
    assert time.time() - began < 1
    [connection.close() for connection in slow]


def test_a_stop_lets_requests_end(start):
    server = start()
    held = socket.create_connection(("127.0.0.1", server.port))
    began = time.time()
    assert server.stop() == 0
    assert time.time() - began < 8
    held.close()


def test_the_access_log_has_paths_and_no_secrets(server):
    server.send("GET", "/v1/config?warehouse=hidden", headers={"Authorization": "Bearer hidden"})
    server.send("POST", "/v1/oauth/tokens", "grant_type=client_credentials&client_secret=hidden")
    text = server.log.read_text()
    assert " GET /v1/config 200 " in text and "hidden" not in text
