"""Remote signing: a client without keys has its requests to S3 signed by the REST catalog, below the table's location and no further."""
import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rest_server import BINARY, SCHEMA, Server, can_serve, make_namespace  # noqa: E402

ASK = {"X-Iceberg-Access-Delegation": "remote-signing"}
SIGN = "/v1/namespaces/db/tables/t/sign"


@pytest.fixture(scope="module")
def conf(s3, tmp_path_factory):
    if not can_serve():
        pytest.skip("built without the server (ICEBLINK_SERVER=OFF)")
    folder = tmp_path_factory.mktemp("signing")
    return {f"spark.sql.catalog.{key}": value for key, value in {
        "lake": "org.apache.iceberg.spark.SparkCatalog", "lake.type": "jdbc", "lake.uri": f"jdbc:sqlite:{folder}/c.db",
        "lake.warehouse": f"{s3.warehouse}/{folder.name}", "lake.jdbc.schema-version": "V1", "lake.remote-signing-enabled": "true",
        **{f"lake.{key}": value for key, value in s3.settings.items()}}.items()} | {"spark.sql.defaultCatalog": "lake"}


@pytest.fixture(scope="module")
def server(conf, tmp_path_factory):
    with Server(tmp_path_factory.mktemp("server"), **conf) as server:
        make_namespace(server, "db")
        assert server.send("POST", "/v1/namespaces/db/tables", {"name": "t", "schema": SCHEMA}).status == 200
        yield server


@pytest.fixture(scope="module")
def location(server):
    return server.send("GET", "/v1/namespaces/db/tables/t").json["metadata"]["location"].split("://", 1)[1]


def ask(server, method, url, headers=None, token=None, body=None):
    request = {"region": "us-east-1", "method": method, "uri": url, "headers": {k: [v] for k, v in (headers or {}).items()}}
    return server.send("POST", SIGN, request | ({"body": body} if body else {}), token)


def signed(server, method, url, data=None, headers=None):
    """Sends what the server has signed; answers status and body."""
    answer = ask(server, method, url, headers)
    assert answer.status == 200, answer.text
    assert answer.json["uri"] == url and answer.headers["cache-control"] == "no-cache"
    added = {name: ", ".join(values) for name, values in answer.json["headers"].items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, {**(headers or {}), **added}, method=method)) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_tables_say_where_requests_are_signed(server):
    table = server.send("GET", "/v1/namespaces/db/tables/t", headers=ASK).json
    assert table["config"]["s3.remote-signing-enabled"] == "true"
    assert "/" + table["config"]["s3.signer.endpoint"] == SIGN
    assert table["config"]["rest.remote-signing.endpoint"] == table["config"]["signer.endpoint"] == SIGN[1:]
    assert "storage-credentials" not in table and "password" not in json.dumps(table)
    assert "s3.signer.endpoint" not in server.send("GET", "/v1/namespaces/db/tables/t").json["config"]
    assert "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign" in server.send("GET", "/v1/config").json["endpoints"]


def test_signed_requests_are_good_at_the_store(server, s3, location):
    base = f"{s3.settings['s3.endpoint']}/{location}/data"
    for name in ("p=a%20b/x.parquet", "plain.parquet"):
        assert signed(server, "PUT", f"{base}/{name}", b"hello", {"x-amz-meta-who": "me", "Content-Type": "text/plain"})[0] == 200
        assert signed(server, "GET", f"{base}/{name}", headers={"Range": "bytes=1-2"}) == (206, b"el")
    bucket, key = location.split("/", 1)
    listed = signed(server, "GET", f"{s3.settings['s3.endpoint']}/{bucket}?list-type=2&prefix={key}/data/&max-keys=10")
    assert listed[0] == 200 and b"plain.parquet" in listed[1]
    upload = signed(server, "POST", f"{base}/big?uploads=")
    assert upload[0] == 200 and b"<UploadId>" in upload[1]
    assert signed(server, "DELETE", f"{base}/plain.parquet")[0] == 204
    assert signed(server, "GET", f"{base}/plain.parquet")[0] == 404


def test_nothing_else_is_signed(server, s3, location):
    endpoint, (bucket, key) = s3.settings["s3.endpoint"], location.split("/", 1)
    other = f"{endpoint}/{bucket}/{key}"
    refused = [("GET", f"{endpoint}/{bucket}/elsewhere/x", {}), ("GET", other + "x/data/a", {}), ("GET", f"{endpoint}/other/{key}/data/a", {}),
               ("GET", other, {}), ("GET", other + "/data/../../a", {}), ("GET", other + "/data/%2E%2E/%2e%2e/a", {}),
               ("GET", "http://example.com/" + location + "/data/a", {}), ("GET", endpoint.replace("http", "https") + f"/{location}/a", {}),
               ("GET", f"http://me@{endpoint[7:]}/{location}/a", {}),
               ("PUT", other + "/data/a", {"X-Amz-Copy-Source": f"/{bucket}/elsewhere/x"}), ("PUT", other + "/data/a", {"x-amz-acl": "public-read"}),
               ("PUT", other + "/data/a?acl", {}), ("PUT", other + "/data/a?policy=", {}), ("GET", f"{endpoint}/{bucket}?policy", {}),
               ("GET", f"{endpoint}/{bucket}?list-type=2", {}), ("GET", f"{endpoint}/{bucket}?list-type=2&prefix={key}", {}),
               ("GET", f"{endpoint}/{bucket}?list-type=2&prefix={key}/&prefix=", {}), ("DELETE", f"{endpoint}/{bucket}", {}),
               ("POST", f"{endpoint}/{bucket}?delete", {}), ("PATCH", other + "/data/a", {}), ("GET", "file:///etc/passwd", {}), ("GET", "", {})]
    for method, url, headers in refused:
        answer = ask(server, method, url, headers)
        assert (answer.status, answer.error) == (403, "ForbiddenException"), (method, url, answer.text)
        assert "Authorization" not in answer.text
    assert server.send("POST", SIGN.replace("/t/", "/none/"), {"region": "r", "method": "GET", "uri": other + "/a", "headers": {}}).status == 404
    assert server.send("POST", SIGN, {"region": "r", "method": "GET"}).status == 400


def test_who_only_reads_gets_no_writes_signed(conf, s3, server, location, tmp_path):
    secret = subprocess.run([str(BINARY), "serve", "--hash-secret"], input="top\n", capture_output=True, text=True).stdout.strip()
    (tmp_path / "principals.json").write_text(json.dumps({
        "principals": [{"name": "reader", "secret": secret, "roles": ["r"]}, {"name": "nobody", "secret": secret, "roles": ["n"]}],
        "roles": {"r": [{"namespace": "db", "privilege": "read"}], "n": [{"namespace": "else", "privilege": "manage"}]}}))
    url = f"{s3.settings['s3.endpoint']}/{location}/data/a"
    with Server(tmp_path, **conf, **{"iceblink.rest.principals-file": str(tmp_path / "principals.json")}) as guarded:
        def bearer(name):
            answer = guarded.send("POST", "/v1/oauth/tokens", f"grant_type=client_credentials&client_id={name}&client_secret=top")
            return {"Authorization": "Bearer " + answer.json["access_token"]}

        got = {name: [ask(guarded, method, url, token=bearer(name)).status for method in ("GET", "HEAD", "PUT", "POST", "DELETE")]
               for name in ("reader", "nobody")}
        assert got == {"reader": [200, 200, 403, 403, 403], "nobody": [403] * 5}
        assert ask(guarded, "GET", url).status == 401


def test_a_catalog_that_was_not_told_to_signs_nothing(conf, s3, location, tmp_path):
    with Server(tmp_path, **{key: value for key, value in conf.items() if not key.endswith("remote-signing-enabled")}) as server:
        assert ask(server, "GET", f"{s3.settings['s3.endpoint']}/{location}/data/a").status == 406
        assert "s3.signer.endpoint" not in server.send("GET", "/v1/namespaces/db/tables/t", headers=ASK).json["config"]


def test_pyiceberg_reads_and_writes_without_keys(server, s3, location):
    pytest.importorskip("s3fs")
    from pyiceberg.catalog.rest import RestCatalog
    import pyarrow as pa
    catalog = RestCatalog("r", uri=server.uri, **{"py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
                                                  "header.X-Iceberg-Access-Delegation": "remote-signing"})
    table = catalog.create_table("db.p", pa.schema([("id", pa.int64())]))
    table.append(pa.table({"id": [1, 2, 3]}))
    assert catalog.load_table("db.p").scan().to_arrow()["id"].to_pylist() == [1, 2, 3]
