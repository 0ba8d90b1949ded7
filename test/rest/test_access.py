"""Principals, tokens, roles and TLS."""
import http.client
import json
import ssl
import subprocess

import pytest
from rest_server import BINARY, SCHEMA
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import ForbiddenError, UnauthorizedError


def hashed(secret):
    return subprocess.run([str(BINARY), "serve", "--hash-secret"], input=secret + "\n", capture_output=True, text=True).stdout.strip()


@pytest.fixture
def guarded(start, tmp_path):
    principals = {
        "principals": [{"name": "root", "secret": hashed("top"), "roles": ["admin"]},
                       {"name": "etl", "client-id": "etl-id", "secret": hashed("s3cret"), "roles": ["loader"]}],
        "roles": {"admin": [{"namespace": "*", "privilege": "manage"}],
                  "loader": [{"namespace": "sales", "privilege": "write"}, {"namespace": "ref.public", "privilege": "read"}]}}
    path = tmp_path / "principals.json"
    path.write_text(json.dumps(principals))
    return start(**{"iceblink.rest.principals-file": str(path)})


def token(server, client, secret):
    answer = server.send("POST", "/v1/oauth/tokens",
                         f"grant_type=client_credentials&client_id={client}&client_secret={secret}&scope=catalog",
                         {"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status == 200, answer.text
    return {"Authorization": "Bearer " + answer.json["access_token"]}


def test_tokens(guarded):
    assert (guarded.send("GET", "/v1/config").status, guarded.send("GET", "/v1/config").error) == (401, "NotAuthorizedException")
    assert guarded.send("GET", "/v1/config", headers=token(guarded, "root", "top")).status == 200
    wrong = guarded.send("POST", "/v1/oauth/tokens", "grant_type=client_credentials&client_id=root&client_secret=no")
    assert (wrong.status, wrong.json["error"]) == (401, "invalid_client")
    unknown = guarded.send("POST", "/v1/oauth/tokens", "grant_type=client_credentials&client_id=who&client_secret=no")
    assert unknown.text == wrong.text
    assert guarded.send("POST", "/v1/oauth/tokens", "grant_type=password").json["error"] == "unsupported_grant_type"
    good = token(guarded, "root", "top")["Authorization"]
    for bad in (good[:-1] + ("A" if good[-1] != "A" else "B"), "Bearer x", "Bearer a.b", "Basic cm9vdDp0b3A=", "Bearer "):
        assert guarded.send("GET", "/v1/config", headers={"Authorization": bad}).status == 401


def test_a_token_is_exchanged_for_a_fresh_one(guarded):
    old = token(guarded, "root", "top")["Authorization"].split()[1]
    grant = "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token_type=urn:ietf:params:oauth:token-type:access_token"
    fresh = guarded.send("POST", "/v1/oauth/tokens", f"{grant}&subject_token={old}")
    assert fresh.status == 200 and fresh.json["token_type"] == "bearer"
    assert guarded.send("GET", "/v1/config", headers={"Authorization": "Bearer " + fresh.json["access_token"]}).status == 200
    assert guarded.send("POST", "/v1/oauth/tokens", f"{grant}&subject_token=forged").json["error"] == "invalid_grant"


def test_roles(guarded):
    root, etl = token(guarded, "root", "top"), token(guarded, "etl-id", "s3cret")
    for ns in (["sales"], ["ref"], ["ref", "public"], ["hidden"]):
        assert guarded.send("POST", "/v1/namespaces", {"namespace": ns}, root).status == 200
    table = {"name": "t", "schema": SCHEMA}
    for ns in ("sales", "ref%1Fpublic", "hidden"):
        assert guarded.send("POST", f"/v1/namespaces/{ns}/tables", table, root).status == 200
    change = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
    expected = {"sales": (200, 200, 403), "ref%1Fpublic": (200, 403, 403), "hidden": (403, 403, 403)}
    for ns, statuses in expected.items():
        path = f"/v1/namespaces/{ns}/tables/t"
        got = tuple(guarded.send(m, path, b, etl).status for m, b in (("GET", None), ("POST", change), ("DELETE", None)))
        assert got == statuses, ns
    assert guarded.send("POST", "/v1/namespaces", {"namespace": ["more"]}, etl).error == "ForbiddenException"
    assert guarded.send("GET", "/v1/namespaces", headers=etl).json["namespaces"] == [["ref"], ["sales"]]
    transaction = {"table-changes": [{"identifier": {"namespace": [ns], "name": "t"}, **change} for ns in ("sales", "hidden")]}
    assert guarded.send("POST", "/v1/transactions/commit", transaction, etl).status == 403
    rename = {"source": {"namespace": ["sales"], "name": "t"}, "destination": {"namespace": ["sales"], "name": "u"}}
    assert guarded.send("POST", "/v1/tables/rename", rename, etl).status == 403
    assert guarded.metric("iceblink_commits_total", writer="etl") == 1
    assert "s3cret" not in guarded.log.read_text()


def test_pyiceberg_with_a_credential(guarded):
    RestCatalog("r", uri=guarded.uri, credential="root:top").create_namespace("sales")
    etl = RestCatalog("r", uri=guarded.uri, credential="etl-id:s3cret")
    assert etl.list_namespaces() == [("sales",)]
    with pytest.raises(ForbiddenError):
        etl.create_namespace("other")
    with pytest.raises(Exception, match="invalid_client"):
        RestCatalog("r", uri=guarded.uri, credential="etl-id:wrong")
    with pytest.raises(UnauthorizedError):
        RestCatalog("r", uri=guarded.uri, token="forged")


@pytest.mark.parametrize("text", ["", "{", "{}", '{"principals": [{"name": "a", "secret": "plain", "roles": []}]}',
                                  '{"principals": [{"name": "a", "secret": "pbkdf2-sha256$1$00$00", "roles": ["none"]}]}'])
def test_a_bad_principals_file_keeps_the_server_from_starting(tmp_path, text):
    path = tmp_path / "principals.json"
    path.write_text(text)
    ended = subprocess.run([str(BINARY), "serve", "--no-connect", "--http", "127.0.0.1:0", "--conf", f"iceblink.rest.principals-file={path}"],
                           cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 1 and "principals.json" in ended.stderr and "plain" not in ended.stderr


def test_tls(start, tmp_path):
    certificate, key = tmp_path / "server.crt", tmp_path / "server.key"
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                           "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], capture_output=True)
    if made.returncode != 0:
        pytest.skip("no openssl command to make a certificate with")
    server = start(**{"iceblink.http.tls.certificate": str(certificate), "iceblink.http.tls.key": str(key)})
    assert server.uri.startswith("https://")
    context = ssl.create_default_context(cafile=str(certificate))
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=10)
    for _ in range(3):
        connection.request("GET", "/v1/config")
        answer = connection.getresponse()
        assert answer.status == 200 and json.loads(answer.read())["endpoints"]
    connection.close()
    with pytest.raises((http.client.HTTPException, OSError)):
        server.send("GET", "/v1/config")
