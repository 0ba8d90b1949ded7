"""One server for a module."""
import pathlib
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rest_server import Server, can_serve, make_namespace  # noqa: E402


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if not can_serve():
        pytest.skip("built without the server (ICEBLINK_SERVER=OFF)")
    server = Server(tmp_path_factory.mktemp("rest"))
    yield server
    assert server.stop() == 0


@pytest.fixture
def start(tmp_path):
    """Starts further servers."""
    servers = []

    def make(folder=tmp_path, **conf):
        servers.append(Server(folder, **conf))
        return servers[-1]

    yield make
    for server in servers:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture
def ns(server, request):
    name = "n_" + str(abs(hash(request.node.name)) % 10**9) + str(time.time_ns() % 10**6)
    make_namespace(server, name)
    return name
