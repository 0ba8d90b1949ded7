"""Servers that refuse, lie, stall and stop: the client says what is wrong, in Java's words, and never says a secret."""
import base64
import http.server
import json
import threading
import time
import urllib.parse

import pytest

from iceblink import Iceblink, SqlError
from rest_proxy import rest, served

SECRET = "s3cr3t-that-nobody-may-see"


class Stub(http.server.ThreadingHTTPServer):
    """Answers each request with what `respond(method, path, headers, body)` returns: (status, body[, headers]); keeps what it was sent."""

    def __init__(self, respond):
        super().__init__(("127.0.0.1", 0), StubHandler)
        self.daemon_threads, self.respond, self.seen, self.port = True, respond, [], self.server_address[1]

    def handle_error(self, *_):
        pass  # the client has given up

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class StubHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.server.seen.append((self.command, self.path, dict(self.headers), body))
        status, answer, *more = self.server.respond(self.command, self.path, self.headers, body)
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        length = len(data)
        self.send_response(status)
        for key, value in (more[0] if more else {}).items():
            if key == "Cut":
                length = int(value)
            else:
                self.send_header(key, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        if length != len(data):
            self.close_connection = True

    do_GET = do_POST = do_HEAD = do_DELETE = handle_any


def error(code, kind, message):
    return code, {"error": {"code": code, "type": kind, "message": message}}


CONFIG = {"defaults": {}, "overrides": {}}


def failure(folder, stub, statement="SHOW NAMESPACES IN lake", **conf):
    with Iceblink(folder, **rest(stub.port, **conf)) as session:
        with pytest.raises(SqlError) as caught:
            session.run(statement)
    assert SECRET not in str(caught.value)
    return caught.value


def test_wrong_credentials(tmp_path):
    def respond(method, path, headers, body):
        assert path == "/v1/oauth/tokens"
        return 401, {"error": "invalid_client", "error_description": "Credentials given were invalid"}

    with Stub(respond) as stub:
        wrong = failure(tmp_path, stub, credential=f"me:{SECRET}", scope="PRINCIPAL_ROLE:ALL")
        assert wrong.kind == "NotAuthorizedException"
        assert str(wrong) == "Not authorized: invalid_client: Credentials given were invalid"
        form = urllib.parse.parse_qs(stub.seen[0][3])
        assert form == {"grant_type": ["client_credentials"], "client_id": ["me"], "client_secret": [SECRET], "scope": ["PRINCIPAL_ROLE:ALL"]}


def test_tokens_expire_and_are_fetched_again(tmp_path):
    tokens = []

    def respond(method, path, headers, body):
        if path == "/v1/oauth/tokens":
            tokens.append(f"token-{len(tokens)}")
            return 200, {"access_token": tokens[-1], "token_type": "bearer", "expires_in": 3600}
        if headers["Authorization"] != "Bearer " + tokens[-1] or len(stub.seen) == 4:
            return error(401, "NotAuthorizedException", "Token expired")
        return 200, CONFIG if path.startswith("/v1/config") else {"namespaces": [["a"]]}

    with Stub(respond) as stub, Iceblink(tmp_path, **rest(stub.port, credential=SECRET)) as session:
        assert session.run("SHOW NAMESPACES IN lake") == [["a"]]  # token, config, list
        assert session.run("SHOW NAMESPACES IN lake") == [["a"]]  # list: refused, token, list
        assert len(tokens) == 2


def test_tokens_are_exchanged_before_they_expire(tmp_path):
    grants = []

    def respond(method, path, headers, body):
        if path == "/v1/oauth/tokens":
            grants.append(urllib.parse.parse_qs(body)["grant_type"][0])
            return 200, {"access_token": f"token-{len(grants)}", "token_type": "bearer", "expires_in": 1}
        return 200, CONFIG if path.startswith("/v1/config") else {"namespaces": []}

    with Stub(respond) as stub, Iceblink(tmp_path, **rest(stub.port, credential=SECRET)) as session:
        session.run("SHOW NAMESPACES IN lake")
        time.sleep(1)
        session.run("SHOW NAMESPACES IN lake")
    assert grants == ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]


def test_a_token_that_nobody_renews(tmp_path):
    def respond(method, path, headers, body):
        assert headers["Authorization"] == "Bearer " + SECRET
        return error(401, "NotAuthorizedException", "Token expired")

    with Stub(respond) as stub:
        refused = failure(tmp_path, stub, token=SECRET)
        assert (refused.kind, str(refused)) == ("NotAuthorizedException", "Not authorized: Token expired")
        assert len(stub.seen) == 1


def test_basic_and_signed_requests(tmp_path):
    def respond(method, path, headers, body):
        return 200, CONFIG if path.startswith("/v1/config") else {"namespaces": []}

    with Stub(respond) as stub:
        with Iceblink(tmp_path, **rest(stub.port, **{"rest.auth.type": "basic", "rest.auth.basic.username": "me",
                                                     "rest.auth.basic.password": SECRET})) as session:
            session.run("SHOW NAMESPACES IN lake")
        assert stub.seen[0][2]["Authorization"] == "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()
        stub.seen.clear()
        with Iceblink(tmp_path, **rest(stub.port, **{"rest.sigv4-enabled": "true", "rest.signing-name": "s3tables", "rest.signing-region": "us-east-1",
                                                     "rest.access-key-id": "AKID", "rest.secret-access-key": SECRET,
                                                     "header.X-Mine": "yes"})) as session:
            session.run("SHOW NAMESPACES IN lake")
        headers = stub.seen[0][2]
        assert headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKID/")
        assert "/us-east-1/s3tables/aws4_request" in headers["Authorization"]
        assert headers["X-Mine"] == "yes"


@pytest.mark.parametrize("answer, kind, message", [
    (error(403, "ForbiddenException", "not yours"), "ForbiddenException", "Forbidden: not yours"),
    (error(400, "BadRequestException", "what?"), "BadRequestException", "Malformed request: what?"),
    (error(501, "UnsupportedOperationException", "no such thing"), "UnsupportedOperationException", "no such thing"),
    (error(500, "RuntimeException", "out of luck"), "ServiceFailureException", "Server error: RuntimeException: out of luck"),
    ((404, b"<html>nginx</html>"), "NoSuchNamespaceException", "<html>nginx</html>"),
])
def test_refusals(tmp_path, answer, kind, message):
    with Stub(lambda method, path, headers, body: (200, CONFIG) if path.startswith("/v1/config") else answer) as stub:
        refused = failure(tmp_path, stub, "CREATE NAMESPACE lake.a")
        assert (refused.kind, str(refused)) == (kind, message)


def test_an_unknown_warehouse(tmp_path):
    def respond(method, path, headers, body):
        assert path == "/v1/config?warehouse=no%20such%20%C3%BC"
        return error(404, "NoSuchWarehouseException", "Warehouse does not exist: no such ü")

    with Stub(respond) as stub:
        refused = failure(tmp_path, stub, warehouse="no such ü")
        assert (refused.kind, str(refused)) == ("NoSuchWarehouseException", "Warehouse does not exist: no such ü")


def test_too_many_requests_are_waited_out(tmp_path):
    refusals = iter([429, 503, 429])

    def respond(method, path, headers, body):
        status = next(refusals, 200)
        if status != 200:
            return (*error(status, "SlowDown", "later"), {"Retry-After": "0"})
        return 200, CONFIG if path.startswith("/v1/config") else {"namespaces": [["a"]]}

    with Stub(respond) as stub, Iceblink(tmp_path, **rest(stub.port)) as session:
        assert session.run("SHOW NAMESPACES IN lake") == [["a"]]
        assert len(stub.seen) == 5


def test_a_server_that_is_always_busy(tmp_path):
    with Stub(lambda *_: error(503, "SlowDown", "never")) as stub:
        refused = failure(tmp_path, stub, **{"rest.client.max-retries": "2"})
        assert (refused.kind, str(refused)) == ("ServiceUnavailableException", "Service unavailable: never")
        assert len(stub.seen) == 3


@pytest.mark.parametrize("answer", [(200, b'{"defaults": {}, "over', {"Cut": "1000"}), (200, b"<html>hello</html>"), (200, b"[1, 2]"), (200, b""),
                                    (200, b'{"defaults": 5}'), (200, b'{"overrides": {"a": {"b": 1}}}'), (204, b"")])
def test_answers_that_are_no_answers(tmp_path, answer):
    with Stub(lambda *_: answer) as stub:
        failure(tmp_path, stub, **{"rest.client.max-retries": "1"})


def test_a_server_that_says_nothing(tmp_path):
    def respond(*_):
        time.sleep(3)
        return 200, CONFIG

    with Stub(respond) as stub:
        began = time.time()
        failure(tmp_path, stub, **{"rest.client.socket-timeout-ms": "200", "rest.client.max-retries": "0"})
        assert time.time() - began < 2
    nobody = failure(tmp_path, stub)
    assert nobody.kind == "RESTException" and "/v1/config: " in str(nobody)


def test_secrets_are_not_shown(tmp_path):
    secrets = {"credential": f"me:{SECRET}", "token": SECRET, "rest.auth.basic.password": SECRET, "header.Authorization": SECRET,
               "s3.secret-access-key": SECRET, "s3.session-token": SECRET, "jdbc.password": SECRET}
    with Iceblink(tmp_path, **rest(1, **secrets)) as session:
        assert SECRET not in str(session.run("SET")) + str(session.run("SET -v"))
        for key in secrets:
            assert session.run(f"SET `spark.sql.catalog.lake.{key}`")[0][1] == "*********(redacted)"
        with pytest.raises(SqlError) as caught:
            session.run("SHOW NAMESPACES IN lake")
        assert SECRET not in str(caught.value)


ODD_NAMES = ["with space", "slash/inside", "per%cent", "%1F", "plus+and", "hash#ask?", "ünïcode", "emoji🧊", "quo'te\"s", "a&b=c;d", "semi:colon"]


def test_odd_names(tmp_path):
    with served(tmp_path) as port, Iceblink(tmp_path, **rest(port)) as session:
        for number, name in enumerate(ODD_NAMES):
            session.run(f"CREATE NAMESPACE `{name}`")
            session.run(f"CREATE NAMESPACE `{name}`.`{name}`")
            session.run(f"CREATE TABLE `{name}`.`{name}`.`{name}` (`{name}` INT) PARTITIONED BY (`{name}`)")
            session.run(f"INSERT INTO `{name}`.`{name}`.`{name}` VALUES ({number})")
            assert session.run(f"SELECT `{name}` FROM `{name}`.`{name}`.`{name}`") == [[number]]
            session.run(f"ALTER TABLE `{name}`.`{name}`.`{name}` RENAME TO `{name}`.`{name}`.`{name} 2`")
            assert [row[1] for row in session.run(f"SHOW TABLES IN `{name}`.`{name}`")] == [f"{name} 2"]
            assert session.run(f"SELECT count(*) FROM `{name}`.`{name}`.`{name} 2`.files") == [[1]]
        assert len(session.run("SHOW NAMESPACES")) == len(ODD_NAMES)
        for name in ODD_NAMES:
            session.run(f"DROP TABLE `{name}`.`{name}`.`{name} 2`")
            session.run(f"DROP NAMESPACE `{name}`.`{name}`")
            session.run(f"DROP NAMESPACE `{name}`")
        assert session.run("SHOW NAMESPACES") == []
