"""A proxy between a REST catalog's client and its server that does to single requests what networks do.

    with served(folder) as server, FaultProxy(server) as proxy:
        proxy.inject("drop_response", at=1)      # the second request from now on
        ...
        proxy.seen                                # [("GET", "/v1/..."), ...] since inject()
"""
import contextlib
import http.client
import http.server
import socket
import subprocess
import threading
import time

from iceblink import BINARY

HOP = {"connection", "transfer-encoding", "content-length", "keep-alive", "host", "accept-encoding"}


@contextlib.contextmanager
def served(folder, *settings):
    """`iceblink serve` over a SQLite catalog in `folder`; yields its port."""
    (folder / "served").mkdir(exist_ok=True)
    catalog = "spark.sql.catalog.served"
    conf = [f"{catalog}=org.apache.iceberg.spark.SparkCatalog", f"{catalog}.type=jdbc", f"{catalog}.uri=jdbc:sqlite:{folder}/served/c.db",
            f"{catalog}.warehouse=file:{folder}/served/w", f"{catalog}.jdbc.schema-version=V1", "spark.sql.defaultCatalog=served",
            "iceblink.http.access-log=off", *settings]
    command = [str(BINARY), "serve", "--no-connect", "--http", "127.0.0.1:0"]
    for setting in conf:
        command += ["--conf", setting]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        port = None
        for line in process.stdout:
            if "http://" in line:
                port = int(line.rsplit(":", 1)[1])
            if line.strip() == "ready":
                break
        assert port, "the server does not start"
        yield port
    finally:
        process.kill()
        process.wait()


def rest(port, name="lake", **more):
    """Settings of a REST catalog at `port`."""
    prefix = f"spark.sql.catalog.{name}"
    conf = {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "rest", f"{prefix}.uri": f"http://127.0.0.1:{port}",
            "spark.sql.defaultCatalog": name}
    conf.update({f"{prefix}.{key}": value for key, value in more.items()})
    return conf


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        getattr(self, self.server.owner.next_fault(self.command, self.path))(body)

    do_GET = do_POST = do_HEAD = do_DELETE = handle_any

    def forward(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.owner.upstream, timeout=30)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP}
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        answer = response.status, response.getheaders(), response.read()
        self.server.owner.statuses.append(response.status)
        connection.close()
        return answer

    def answer(self, status, headers, body, cut=False):
        self.send_response(status)
        for key, value in headers:
            if key.lower() not in HOP:
                self.send_header(key, value)
        if status != 204 and status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:len(body) // 2] if cut else body)
        if cut:
            self.close()

    def close(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    def refuse(self, status, retry_after=None):
        headers = [("Content-Type", "text/plain")] + ([("Retry-After", retry_after)] if retry_after else [])
        self.answer(status, headers, b"the proxy says so")

    # What a fault does with the request.
    def none(self, body):
        self.answer(*self.forward(body))

    def drop_request(self, body):
        self.close()

    def drop_response(self, body):
        self.forward(body)
        self.close()

    def delay(self, body):
        time.sleep(0.2)
        self.none(body)

    def arrive_late(self, body):
        """The client hears nothing; the server hears of it a little later."""
        self.server.owner.later(lambda: self.forward(body))
        self.close()

    def duplicate(self, body):
        self.forward(body)
        self.none(body)

    def duplicate_unseen(self, body):
        first = self.forward(body)
        self.forward(body)
        self.answer(*first)

    def truncate(self, body):
        self.answer(*self.forward(body), cut=True)

    def answer_500(self, body):
        self.refuse(500)

    def answer_503(self, body):
        self.refuse(503, "0")

    def answer_429(self, body):
        self.refuse(429, "0")

    def act_and_answer_500(self, body):
        self.forward(body)
        self.refuse(500)

    def act_and_answer_502(self, body):
        self.forward(body)
        self.refuse(502)

    def act_and_answer_503(self, body):
        self.forward(body)
        self.refuse(503, "0")


FAULTS = ["drop_request", "drop_response", "delay", "arrive_late", "duplicate", "duplicate_unseen", "truncate", "answer_500", "answer_503",
          "answer_429", "act_and_answer_500", "act_and_answer_502", "act_and_answer_503"]


class FaultProxy:
    def __init__(self, upstream):
        self.upstream, self.fault, self.hit, self.seen, self.threads = upstream, "none", range(0), [], []
        self.statuses = []  # what the server answered
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # one end has gone
        self.server.daemon_threads = True
        self.server.owner = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def inject(self, fault, at=0, count=1):
        """Lets `fault` happen to request number `at` from now on, or to `count` in a row, and to no other."""
        with self.lock:
            self.fault, self.hit, self.seen = fault, range(at, at + count), []
            self.statuses = []

    def next_fault(self, method, path):
        with self.lock:
            self.seen.append((method, path))
            return self.fault if len(self.seen) - 1 in self.hit else "none"

    def refused_a_read(self):
        """Whether what is no commit was answered 500: no client tries that again."""
        return "500" in self.fault and not all(self.is_commit(*self.seen[at]) for at in self.hit if at < len(self.seen))

    @staticmethod
    def is_commit(method, path):
        return method == "POST" and not path.endswith("/tables")

    def later(self, call):
        thread = threading.Timer(0.2, call)
        thread.start()
        self.threads.append(thread)

    def settle(self):
        """Waits for what is still under way; no more faults."""
        self.inject("none")
        for thread in self.threads:
            thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.settle()
        self.server.shutdown()
        self.server.server_close()
