"""An S3 server (moto, or the one that ICEBLINK_TEST_S3_ENDPOINT names) and `iceblink serve` over it, with its Spark Connect
door, its REST catalog and S3 Tables. Skips where moto or boto3 is not installed, or the program has no server."""
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("ICEBLINK", ROOT / "build" / "iceblink"))
sys.path.insert(0, str(ROOT / "test" / "sql"))
ORDERS = ROOT / "test" / "sql" / "scenarios" / "001_orders_pyspark.py"
ACCESS_KEY, SECRET_KEY, REGION = "admin", "password", "us-east-1"


def free_port():
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url, process):
    for _ in range(300):
        assert process.poll() is None, "the S3 server has ended"
        try:
            return urllib.request.urlopen(url, timeout=5)
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


@pytest.fixture(scope="session")
def s3_endpoint(tmp_path_factory):
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    endpoint, process = os.environ.get("ICEBLINK_TEST_S3_ENDPOINT"), None
    if endpoint is None:
        pytest.importorskip("moto", reason="moto (an S3 server) is not installed")
        port = free_port()
        endpoint = f"http://127.0.0.1:{port}"
        log = open(tmp_path_factory.mktemp("moto") / "log", "w")
        process = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log)
        wait_for(endpoint + "/moto-api/", process)
    client = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY, region_name=REGION)
    try:
        client.create_bucket(Bucket="warehouse")
    except client.exceptions.BucketAlreadyOwnedByYou:
        pass
    yield endpoint
    if process is not None:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def s3(s3_endpoint):
    import boto3

    return boto3.client("s3", endpoint_url=s3_endpoint, aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY, region_name=REGION)


class Server:
    def __init__(self, folder, s3_endpoint):
        conf = {
            "spark.sql.catalog.demo": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.demo.type": "jdbc",
            "spark.sql.catalog.demo.uri": f"jdbc:sqlite:{folder}/catalog.db",
            "spark.sql.catalog.demo.warehouse": "s3://warehouse/demo",
            "spark.sql.catalog.demo.s3.endpoint": s3_endpoint,
            "spark.sql.catalog.demo.s3.path-style-access": "true",
            "spark.sql.catalog.demo.s3.access-key-id": ACCESS_KEY,
            "spark.sql.catalog.demo.s3.secret-access-key": SECRET_KEY,
            "spark.sql.catalog.demo.client.region": REGION,
            "iceblink.s3tables.access-key-id": "AKTABLES",
            "iceblink.s3tables.secret-access-key": "tables-secret",
            "iceblink.s3tables.warehouse": "s3://warehouse/tables",
            "iceblink.http.access-log": f"{folder}/access.log",
            "spark.sql.defaultCatalog": "demo",
            "spark.sql.session.timeZone": "UTC",
        }
        command = [str(BINARY), "serve", "--http", "127.0.0.1:0", "--connect", "127.0.0.1:0"]
        for key, value in conf.items():
            command += ["--conf", f"{key}={value}"]
        self.folder = folder
        self.errors = open(folder / "stderr", "w")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, text=True, cwd=folder)
        self.http = self.connect = None
        for line in self.process.stdout:
            found = re.search(r"(http|sc)://\S+", line)
            if found and found[1] == "http":
                self.http = found[0]
            elif found:
                self.connect = found[0]
            if line.strip() == "ready":
                break
        assert self.http and self.connect, open(folder / "stderr").read()

    def client(self, access_key="AKTABLES", secret_key="tables-secret"):
        import boto3

        return boto3.client("s3tables", endpoint_url=self.http, aws_access_key_id=access_key, aws_secret_access_key=secret_key, region_name=REGION)

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)


@pytest.fixture(scope="session")
def server(tmp_path_factory, s3_endpoint):
    usage = subprocess.run([str(BINARY), "--help"], capture_output=True, text=True)
    if "serve" not in usage.stdout:
        pytest.skip("built without the server (ICEBLINK_SERVER=OFF)")
    server = Server(tmp_path_factory.mktemp("server"), s3_endpoint)
    yield server
    assert server.stop() == 0
    written = "".join((server.folder / name).read_text() for name in ("stderr", "access.log"))
    assert "tables-secret" not in written and SECRET_KEY not in written


@pytest.fixture(scope="session")
def tables(server):
    return server.client()


def remove_bucket(tables, arn):
    """The bucket, with all that is in it."""
    for table in tables.list_tables(tableBucketARN=arn)["tables"]:
        tables.delete_table(tableBucketARN=arn, namespace=table["namespace"][0], name=table["name"])
    for namespace in tables.list_namespaces(tableBucketARN=arn)["namespaces"]:
        tables.delete_namespace(tableBucketARN=arn, namespace=namespace["namespace"][0])
    tables.delete_table_bucket(tableBucketARN=arn)


# The client can block for good when Python collects a session while a call is under way, so that sessions stay until the end.
KEPT = []


@pytest.fixture
def new_session(server):
    """Makes PySpark sessions, and stops them before the server ends."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark-client is not installed")
    made = []

    def make():
        made.append(sql.SparkSession.builder.remote(server.connect).create())
        KEPT.append(made[-1])
        return made[-1]

    yield make
    for session in made:
        session.stop()
