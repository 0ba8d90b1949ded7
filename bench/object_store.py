#!/usr/bin/env python3
"""Requests of Iceblink to S3: how many, how many at once, how long, through a proxy that counts and delays them.

    bench/object_store.py --build build --endpoint http://127.0.0.1:9000 [--delay-ms 20]

with an S3 server at the endpoint that has the bucket `warehouse` and takes the keys admin/password.
"""
import argparse
import asyncio
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Proxy:
    """Forwards HTTP/1.1 requests one connection each way, `delay` seconds late. `requests` are (method, path, begin, end)."""

    def __init__(self, endpoint, delay):
        target = urllib.parse.urlparse(endpoint)
        self.target, self.delay = (target.hostname, target.port), delay
        self.requests, self.port = [], None
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve(ready)), daemon=True).start()
        ready.wait()

    async def serve(self, ready):
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=256)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    async def message(self, reader, writer, no_body=False):
        head = await reader.readuntil(b"\r\n\r\n")
        if re.search(rb"(?i)\r\nexpect: 100-continue", head):
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            head = re.sub(rb"(?i)\r\nexpect: 100-continue", b"", head)
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        body = b"" if no_body or not length else await reader.readexactly(int(length[1]))
        if not length and re.search(rb"(?i)transfer-encoding: *chunked", head) and not no_body:
            while True:
                line = await reader.readline()
                body += line
                chunk = await reader.readexactly(int(line.split(b";")[0], 16) + 2)
                body += chunk
                if chunk == b"\r\n":
                    break
        return head, body

    async def connection(self, reader, writer):
        up_reader, up_writer = await asyncio.open_connection(*self.target)
        try:
            while True:
                head, body = await self.message(reader, writer)
                method, path, _ = head.split(b"\r\n")[0].decode().split(" ")
                begin = time.monotonic()
                await asyncio.sleep(self.delay)
                up_writer.write(head + body)
                answer = await self.message(up_reader, up_writer, method == "HEAD")
                writer.write(answer[0] + answer[1])
                await writer.drain()
                self.requests.append((method, path, begin, time.monotonic()))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            up_writer.close()


def steps(requests):
    """Requests on the longest chain of which each began after the one before had ended."""
    count, free = 0, 0.0
    for _, _, begin, end in sorted(requests, key=lambda r: r[3]):
        if begin >= free:
            count, free = count + 1, end
    return count


def at_once(requests):
    events = sorted([(r[2], 1) for r in requests] + [(r[3], -1) for r in requests])
    most = now = 0
    for _, change in events:
        now += change
        most = max(most, now)
    return most


class Session:
    def __init__(self, build, proxy, folder):
        prefix = "spark.sql.catalog.s3"
        conf = {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "jdbc",
                f"{prefix}.uri": f"jdbc:sqlite:{folder}/catalog.db", f"{prefix}.jdbc.schema-version": "V1",
                f"{prefix}.warehouse": f"s3://warehouse/bench-{os.getpid()}", "spark.sql.defaultCatalog": "s3",
                f"{prefix}.s3.endpoint": f"http://127.0.0.1:{proxy.port}", f"{prefix}.s3.access-key-id": "admin",
                f"{prefix}.s3.secret-access-key": "password", f"{prefix}.client.region": "us-east-1"}
        self.command = [str(build / "iceblink"), "sql"] + [a for k, v in conf.items() for a in ("--conf", f"{k}={v}")]
        self.proxy = proxy

    def run(self, what, *statements):
        """Runs a process and reports what it asked for."""
        self.proxy.requests.clear()
        began = time.monotonic()
        subprocess.run(self.command + ["-e", ";\n".join(statements)], stdout=subprocess.DEVNULL, check=True)
        seconds = time.monotonic() - began
        seen = list(self.proxy.requests)
        print(json.dumps({"what": what, "requests": len(seen), "in sequence": steps(seen), "at once": at_once(seen),
                          "seconds": round(seconds, 3)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--delay-ms", type=float, default=20)
    parser.add_argument("--files", type=int, default=1000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        session = Session((ROOT / args.build).resolve(), Proxy(args.endpoint, args.delay_ms / 1000), folder)
        session.run("create and load one file", "CREATE NAMESPACE db", "CREATE TABLE db.one (id BIGINT, s STRING) USING iceberg",
                    "INSERT INTO db.one SELECT id, 'x' FROM range(100000)")
        session.run("count(*), one file", "SELECT count(*) FROM db.one")
        session.run("sum(id), one file", "SELECT sum(id) FROM db.one")
        session.run("load many files", "CREATE TABLE db.many (id BIGINT, p INT) USING iceberg PARTITIONED BY (p)",
                    f"INSERT INTO db.many SELECT id, CAST(id % {args.files} AS INT) FROM range(10000)")
        session.run("sum(id), many files", "SELECT sum(id) FROM db.many")
        session.run("delete many files", "DELETE FROM db.many",
                    "CALL s3.system.expire_snapshots(table => 'db.many', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)")


if __name__ == "__main__":
    main()
