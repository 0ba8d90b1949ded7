#!/usr/bin/env python3
"""Times requests to the REST catalog on a table with 1,000 snapshots: medians in milliseconds, over one connection.

    ICEBLINK=build/iceblink bench/rest_catalog.py        fails when a warm load takes more than 5 ms
"""
import http.client
import json
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))
from rest_server import SCHEMA, Server, make_namespace, make_table  # noqa: E402

SNAPSHOTS, LIMIT_MS, PATH = 1000, 5.0, "/v1/namespaces/n/tables/t"


def snapshots(folder):
    now = int(time.time() * 1000)
    for i in range(1, SNAPSHOTS + 1):
        snapshot = {"snapshot-id": i, "sequence-number": i, "timestamp-ms": now + i, "manifest-list": f"{folder}/snap-{i}.avro", "schema-id": 0,
                    "summary": {"operation": "append", "added-data-files": "1", "added-records": "100", "total-records": str(i * 100)}}
        if i > 1:
            snapshot["parent-snapshot-id"] = i - 1
        yield {"action": "add-snapshot", "snapshot": snapshot}


def main():
    with tempfile.TemporaryDirectory() as folder, Server(folder) as server:
        make_namespace(server, "n")
        make_table(server, ["n"], "t")
        main_branch = {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": SNAPSHOTS}
        server.send("POST", PATH, {"requirements": [], "updates": [*snapshots(folder), main_branch]})
        connection = http.client.HTTPConnection("127.0.0.1", server.port)

        def median(method, path, make_body=lambda i: None, times=50):
            took = []
            for i in range(times):
                body = make_body(i)
                began = time.perf_counter()
                connection.request(method, path, body)
                response = connection.getresponse()
                response.read()
                took.append((time.perf_counter() - began) * 1000)
                assert response.status < 300, response.status
            return statistics.median(took)

        def commit(i):
            return json.dumps({"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": str(i)}}]})

        load = median("GET", PATH)
        print(f"load, all snapshots   {load:8.2f} ms")
        print(f"load, refs alone      {median('GET', PATH + '?snapshots=refs'):8.2f} ms")
        print(f"table exists          {median('HEAD', PATH):8.2f} ms")
        print(f"commit                {median('POST', PATH, commit, 20):8.2f} ms")
        return 1 if load > LIMIT_MS else 0


if __name__ == "__main__":
    sys.exit(main())
