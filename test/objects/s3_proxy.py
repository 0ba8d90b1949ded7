"""The proxy of test/fault before an S3 server: signatures stay good, faults hit only requests that `match` names."""
import http.client
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fault"))
import rest_proxy  # noqa: E402

HOP = {"connection", "keep-alive", "expect", "transfer-encoding"}


class Handler(rest_proxy.Handler):
    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        owner = self.server.owner
        with owner.meeting:
            owner.in_flight += 1
            owner.most_in_flight = max(owner.most_in_flight, owner.in_flight)
        getattr(self, owner.next_fault(self.command, self.path))(body)
        with owner.meeting:
            owner.in_flight -= 1

    do_GET = do_POST = do_HEAD = do_DELETE = do_PUT = handle_any

    def forward(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.owner.upstream, timeout=30)
        connection.request(self.command, self.path, body or None, {k: v for k, v in self.headers.items() if k.lower() not in HOP})
        response = connection.getresponse()
        answer = response.status, response.getheaders(), response.read()
        connection.close()
        self.server.owner.answered.append((self.command, self.path, self.headers.get("If-None-Match"), answer[0]))
        return answer

    def answer(self, status, headers, body, cut=False):
        if self.command != "HEAD":
            return super().answer(status, headers, body, cut)
        self.send_response(status)
        for key, value in headers:
            if key.lower() not in HOP:
                self.send_header(key, value)
        self.end_headers()

    # More that may happen to a request.
    def meet(self, body):
        """Waits for the other writer's request of the same kind, for half a second, before either goes on."""
        owner = self.server.owner
        with owner.meeting:
            owner.here[self.path] = owner.here.get(self.path, 0) + 1
            owner.meeting.notify_all()
            owner.meeting.wait_for(lambda: owner.here[self.path] % 2 == 0, 0.5)
        self.none(body)

    def unconditional(self, body):
        """As a store that passes over the condition (the header is signed and has to stay)."""
        status, headers, text = self.forward(body)
        self.answer(*((200, [], b"") if status == 412 else (status, headers, text)))

    def answer_501(self, body):
        self.answer(501, [("Content-Type", "application/xml")], b"<Error><Code>NotImplemented</Code><Message>A header you provided implies "
                    b"functionality that is not implemented</Message></Error>")

    def answer_409(self, body):
        self.answer(409, [("Content-Type", "application/xml")], b"<Error><Code>ConditionalRequestConflict</Code></Error>")


class S3Proxy(rest_proxy.FaultProxy):
    def __init__(self, upstream):
        super().__init__(upstream)
        self.server.RequestHandlerClass = Handler
        self.answered, self.plan, self.plan_lock = [], lambda method, path: "none", threading.Lock()
        self.here, self.meeting = {}, threading.Condition()
        self.in_flight = self.most_in_flight = 0

    def next_fault(self, method, path):
        with self.plan_lock:
            return self.plan(method, path)

    def once(self, fault, method, ending):
        """`fault` happens to the next request of this method whose path ends so."""
        left = [fault]
        self.plan = lambda m, path: left.pop() if left and m == method and path.split("?")[0].endswith(ending) else "none"
