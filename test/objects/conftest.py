"""Object stores on loopback: S3 (moto, SeaweedFS), Google (gcp-storage-emulator), Azure (azurite). Each says `skipped` where it is absent."""
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # of every emulator


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Store:
    """A warehouse, the settings that reach it, and what the server has logged."""

    def __init__(self, warehouse, settings, log, port):
        self.warehouse, self.settings, self.log, self.port = warehouse, settings, log, port

    def through(self, proxy):
        """The same store behind a proxy."""
        return Store(self.warehouse, {**self.settings, "s3.endpoint": f"http://127.0.0.1:{proxy.port}"}, self.log, proxy.port)

    def conf(self, folder, **more):
        prefix = "spark.sql.catalog.lake"
        conf = {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "jdbc",
                f"{prefix}.uri": f"jdbc:sqlite:{folder}/catalog.db", f"{prefix}.jdbc.schema-version": "V1",
                f"{prefix}.warehouse": f"{self.warehouse}/{folder.name}", "spark.sql.defaultCatalog": "lake"}
        conf.update({f"{prefix}.{key}": value for key, value in {**self.settings, **more}.items()})
        return conf

    def requests(self):
        """Lines of the server's log that tell of a request."""
        return [line for line in self.log.read_text().splitlines() if " HTTP/1.1" in line]


def start(tmp_path_factory, name, command, port):
    log = tmp_path_factory.mktemp(name) / "log"
    process = subprocess.Popen(command, stdout=open(log, "w"), stderr=subprocess.STDOUT, cwd=log.parent)
    for _ in range(300):
        assert process.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
            break
        except urllib.error.HTTPError:
            break
        except OSError:
            time.sleep(0.1)
    return process, log


def s3_settings(port):
    return {"s3.endpoint": f"http://127.0.0.1:{port}", "s3.access-key-id": "admin", "s3.secret-access-key": "password", "client.region": "us-east-1"}


def start_moto(tmp_path_factory):
    pytest.importorskip("moto", reason="moto (an S3 server) is not installed")
    port = free_port()
    process, log = start(tmp_path_factory, "moto", [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port)
    urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/warehouse", method="PUT"))
    return process, Store("s3://warehouse", s3_settings(port), log, port)


def start_seaweedfs(tmp_path_factory):
    weed = os.environ.get("WEED") or shutil.which("weed")
    if weed is None:
        pytest.skip("weed (SeaweedFS) is not on the path and WEED does not name it")
    folder = tmp_path_factory.mktemp("seaweedfs")
    (folder / "s3.json").write_text(json.dumps({"identities": [{"name": "t", "credentials": [{"accessKey": "admin", "secretKey": "password"}],
                                                                "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}))
    port, master, volume, filer = (free_port() for _ in range(4))
    # A port of its own for gRPC each, else it is 10,000 above.
    grpc = [f"-{part}.port.grpc={free_port()}" for part in ("master", "volume", "filer", "s3")]
    process, log = start(tmp_path_factory, "weed", [
        weed, f"-logdir={folder}", "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-master.port={master}",
        f"-volume.port={volume}", "-filer", f"-filer.port={filer}", "-s3", f"-s3.port={port}", f"-s3.config={folder}/s3.json",
        "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.volumeSizeLimitMB=64", "-volume.max=100", *grpc], port)
    fs = pytest.importorskip("pyarrow.fs")
    store = fs.S3FileSystem(access_key="admin", secret_key="password", endpoint_override=f"127.0.0.1:{port}", scheme="http",
                            region="us-east-1", allow_bucket_creation=True)
    for attempt in range(60):  # it answers before it can write
        try:
            store.create_dir("warehouse")
            break
        except OSError:
            time.sleep(0.5)
    return process, Store("s3://warehouse", s3_settings(port), log, port)


@pytest.fixture(scope="session", params=["moto", "seaweedfs"])
def s3(request, tmp_path_factory):
    process, found = {"moto": start_moto, "seaweedfs": start_seaweedfs}[request.param](tmp_path_factory)
    yield found
    process.kill()
    process.wait(20)


@pytest.fixture(scope="session", params=["s3", "google", "azure"])
def store(request, tmp_path_factory):
    port = free_port()
    if request.param == "s3":
        process, found = start_moto(tmp_path_factory)
    elif request.param == "google":
        if importlib.util.find_spec("gcp_storage_emulator") is None:
            pytest.skip("gcp-storage-emulator is not installed")
        command = [sys.executable, "-m", "gcp_storage_emulator", "start", "--host=127.0.0.1", f"--port={port}", "--in-memory",
                   "--default-bucket=warehouse"]
        process, log = start(tmp_path_factory, "google", command, port)
        found = Store("gs://warehouse", {"gcs.service.host": f"http://127.0.0.1:{port}", "gcs.no-auth": "true"}, log, port)
    else:
        program = os.environ.get("AZURITE") or shutil.which("azurite-blob")
        if program is None:
            pytest.skip("azurite-blob is not on the path and AZURITE does not name it")
        fs = pytest.importorskip("pyarrow.fs")
        process, log = start(tmp_path_factory, "azure", [program, "--blobHost", "127.0.0.1", "--blobPort", str(port), "--inMemoryPersistence",
                                                         "--skipApiVersionCheck", "--loose"], port)
        authority = f"127.0.0.1:{port}"
        fs.AzureFileSystem("devstoreaccount1", account_key=AZURE_KEY, blob_storage_authority=authority, dfs_storage_authority=authority,
                           blob_storage_scheme="http", dfs_storage_scheme="http").create_dir("warehouse")
        settings = {"adls.auth.shared-key.account.name": "devstoreaccount1", "adls.auth.shared-key.account.key": AZURE_KEY,
                    "adls.blob-storage-authority": authority, "adls.dfs-storage-authority": authority, "adls.blob-storage-scheme": "http"}
        found = Store("abfss://warehouse@devstoreaccount1.dfs.core.windows.net", settings, log, port)
    yield found
    process.kill()  # azurite waits for idle connections otherwise
    process.wait(20)
