"""How many requests reads of an object store cost, counted and delayed by a proxy in front of it."""
import http.client
import json
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from conftest import ACCESS_KEY, BINARY, REGION, SECRET_KEY


class Proxy(ThreadingHTTPServer):
    """Forwards to `upstream` after `delay` seconds, and keeps (start, end, method, path) of every request."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, upstream, delay):
        super().__init__(("127.0.0.1", 0), Forwarder)
        self.upstream, self.delay, self.log, self.lock = urlsplit(upstream).netloc, delay, [], threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def most_at_once(self):
        edges = sorted([(start, 1) for start, *_ in self.log] + [(end, -1) for _, end, *_ in self.log])
        now = most = 0
        for _, step in edges:
            now += step
            most = max(most, now)
        return most

    def longest_chain(self):
        """The most requests of which each began after the one before had ended."""
        length, last = 0, 0.0
        for start, end, *_ in sorted(self.log, key=lambda entry: entry[1]):
            if start >= last:
                length, last = length + 1, end
        return length


class Forwarder(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        start = time.monotonic()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        time.sleep(self.server.delay)
        connection = http.client.HTTPConnection(self.server.upstream)
        connection.request(self.command, self.path, body, dict(self.headers))
        response = connection.getresponse()
        data = response.read()
        self.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        length = response.getheader("Content-Length") if self.command == "HEAD" else len(data)
        self.send_header("Content-Length", str(length or 0))
        self.end_headers()
        self.wfile.write(data)
        with self.server.lock:
            self.server.log.append((start, time.monotonic(), self.command, self.path))

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward

    def log_message(self, *_):
        pass


def sql(folder, endpoint, *statements):
    """The rows of the last statement, in a process of its own."""
    conf = {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.defaultCatalog": "lake", "spark.sql.catalog.lake.type": "jdbc",
            "spark.sql.catalog.lake.uri": f"jdbc:sqlite:{folder}/c.db", "spark.sql.catalog.lake.warehouse": f"s3://warehouse/{folder.name}",
            "spark.sql.catalog.lake.s3.endpoint": endpoint, "spark.sql.catalog.lake.s3.path-style-access": "true", "spark.sql.catalog.lake.client.region": REGION,
            "spark.sql.catalog.lake.s3.access-key-id": ACCESS_KEY, "spark.sql.catalog.lake.s3.secret-access-key": SECRET_KEY}
    command = [str(BINARY), "sql", "--format", "jsonl", "-e", ";\n".join(statements)]
    for key, value in conf.items():
        command += ["--conf", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout.splitlines()[-1])["rows"]


@pytest.fixture
def proxy(s3_endpoint):
    proxy = Proxy(s3_endpoint, delay=0.05)
    yield proxy
    proxy.shutdown()


def test_cold_count_takes_few_rounds(s3_endpoint, proxy, tmp_path):
    sql(tmp_path, s3_endpoint, "CREATE NAMESPACE db", "CREATE TABLE db.t (id bigint, s string) USING iceberg",
        *[f"INSERT INTO db.t VALUES ({i}, 'x')" for i in range(4)])
    assert sql(tmp_path, proxy.url, "SELECT count(*) FROM db.t") == [[4]]
    assert proxy.longest_chain() <= 6, proxy.log
    assert not [path for *_, path in proxy.log if "list-type" in path], "a scan lists nothing"


def test_scan_of_many_objects_keeps_requests_in_flight(s3_endpoint, proxy, tmp_path):
    objects = 300
    sql(tmp_path, s3_endpoint, "CREATE NAMESPACE db", "CREATE TABLE db.t (id bigint, part int) USING iceberg PARTITIONED BY (part)",
        f"INSERT INTO db.t SELECT id, CAST(id % {objects} AS int) FROM range({objects * 2})")
    assert sql(tmp_path, proxy.url, "SELECT count(*), sum(id) FROM db.t WHERE id >= 0") == [[objects * 2, objects * (objects * 2 - 1)]]
    data = [entry for entry in proxy.log if ".parquet" in entry[3]]
    assert len(data) == objects, "one request for each small object"
    assert proxy.most_at_once() >= 32
