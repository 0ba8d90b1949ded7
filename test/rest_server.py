"""`iceblink serve` as a REST catalog for the tests, with requests that are sent as they are written."""
import http.client
import json
import os
import pathlib
import subprocess
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = pathlib.Path(os.environ.get("ICEBLINK", ROOT / "build" / "iceblink"))


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.text = response.read().decode()

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def error(self):
        return self.json["error"]["type"]


class Server:
    def __init__(self, folder, **conf):
        self.folder = pathlib.Path(folder)
        self.log = self.folder / "access.log"
        command = [str(BINARY), "serve", "--no-connect", "--http", "127.0.0.1:0", "--conf", f"iceblink.http.access-log={self.log}"]
        for key, value in conf.items():
            command += ["--conf", f"{key}={value}"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        lines = []
        while not lines or lines[-1] != "ready":
            line = self.process.stdout.readline()
            assert line, f"the server ended: {lines}"
            lines.append(line.strip())
        self.uri = next(line.split(": ", 1)[1] for line in lines if line.startswith("Iceberg REST catalog: "))
        self.port = int(self.uri.rsplit(":", 1)[1])

    def send(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection.request(method, path, body=body, headers=headers or {})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def metric(self, name, **labels):
        total = 0
        for line in self.send("GET", "/metrics").text.splitlines():
            if line.startswith(name) and all(f'{k}="{v}"' in line for k, v in labels.items()):
                total += float(line.rsplit(" ", 1)[1])
        return total

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def can_serve():
    return "serve" in subprocess.run([str(BINARY), "--help"], capture_output=True, text=True).stdout


def quote(*parts):
    """A path segment; several parts are the levels of a namespace."""
    return urllib.parse.quote("\x1f".join(parts), safe="")


SCHEMA = {"type": "struct", "schema-id": 0, "fields": [
    {"id": 1, "name": "id", "required": True, "type": "long"},
    {"id": 2, "name": "data", "required": False, "type": "string"}]}


def make_namespace(server, *levels):
    answer = server.send("POST", "/v1/namespaces", {"namespace": list(levels)})
    assert answer.status == 200, answer.text


def make_table(server, ns, name, **members):
    return server.send("POST", f"/v1/namespaces/{quote(*ns)}/tables", {"name": name, "schema": SCHEMA, **members})
