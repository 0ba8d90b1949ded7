"""One server for all tests of the folder, and a PySpark session for each. Skips where the program has no server."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("ICEBLINK", ROOT / "build" / "iceblink"))


# The client can block for good when Python collects a session while a call is under way (its __del__ waits for threads that
# need gRPC's lock), so that sessions stay until the end.
KEPT = []


class Server:
    """`iceblink serve` on a free port, with a SQLite catalog `demo` in `folder`."""

    def __init__(self, folder, settings=None):
        conf = {
            "spark.sql.catalog.demo": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.demo.type": "jdbc",
            "spark.sql.catalog.demo.uri": f"jdbc:sqlite:{folder}/catalog.db",
            "spark.sql.catalog.demo.warehouse": f"{folder}/warehouse",
            "spark.sql.defaultCatalog": "demo",
            "spark.sql.session.timeZone": "UTC",
        }
        conf.update(settings or {})
        command = [str(BINARY), "serve", "--no-http", "--connect", "127.0.0.1:0"]
        for key, value in conf.items():
            command += ["--conf", f"{key}={value}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        line = self.process.stdout.readline()
        assert line.startswith("Spark Connect: "), line
        self.url = line.split(": ", 1)[1].strip()

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    usage = subprocess.run([str(BINARY), "--help"], capture_output=True, text=True)
    if "serve" not in usage.stdout:
        pytest.skip("built without the server (ICEBLINK_SERVER=OFF)")
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    assert server.stop() == 0


@pytest.fixture
def new_session(server):
    """Makes further sessions."""
    from pyspark.sql import SparkSession

    made = []

    def make():
        made.append(SparkSession.builder.remote(server.url).create())
        KEPT.append(made[-1])
        return made[-1]

    yield make
    for session in made:
        session.stop()


@pytest.fixture
def spark(new_session, request):
    """A session in a namespace of its own."""
    session = new_session()
    name = request.node.name.replace("[", "_").replace("]", "").lower()
    session.sql(f"CREATE NAMESPACE IF NOT EXISTS demo.`{name}`")
    session.sql(f"USE demo.`{name}`")
    return session
