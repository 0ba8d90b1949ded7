"""Object stores on loopback: S3 (moto), Google (gcp-storage-emulator), Azure (azurite). Each says `skipped` where it is absent."""
import importlib.util
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

    def __init__(self, warehouse, settings, log):
        self.warehouse, self.settings, self.log = warehouse, settings, log

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


@pytest.fixture(scope="session", params=["s3", "google", "azure"])
def store(request, tmp_path_factory):
    port = free_port()
    if request.param == "s3":
        pytest.importorskip("moto", reason="moto (an S3 server) is not installed")
        process, log = start(tmp_path_factory, "moto", [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port)
        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/warehouse", method="PUT"))
        settings = {"s3.endpoint": f"http://127.0.0.1:{port}", "s3.access-key-id": "admin", "s3.secret-access-key": "password",
                    "client.region": "us-east-1"}
        found = Store("s3://warehouse", settings, log)
    elif request.param == "google":
        if importlib.util.find_spec("gcp_storage_emulator") is None:
            pytest.skip("gcp-storage-emulator is not installed")
        command = [sys.executable, "-m", "gcp_storage_emulator", "start", "--host=127.0.0.1", f"--port={port}", "--in-memory",
                   "--default-bucket=warehouse"]
        process, log = start(tmp_path_factory, "google", command, port)
        found = Store("gs://warehouse", {"gcs.service.host": f"http://127.0.0.1:{port}", "gcs.no-auth": "true"}, log)
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
        found = Store("abfss://warehouse@devstoreaccount1.dfs.core.windows.net", settings, log)
    yield found
    process.kill()  # azurite waits for idle connections otherwise
    process.wait(20)
