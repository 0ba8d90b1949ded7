#!/usr/bin/env python3
"""Spark Connect: Iceblink's server and Spark's own, in one run on this machine.

    .venv/bin/python bench/connect.py [--build DIR] [--spark .venv-spark] [--rows 5000000] [--port 18490]

Starts both servers over file-system catalogs of their own, asks both the same through the same client, and prints figures and
ratios. Without --spark Iceblink alone. Needs `scripts/setup --spark`. Run it on an otherwise idle machine.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = []
ROWS = """CREATE OR REPLACE TABLE demo.bench.rows USING iceberg AS
    SELECT id, concat('customer-', id % 1000) AS name, id * 1.5D AS amount, timestamp_micros(id * 1000000) AS at,
           CAST(id % 97 AS DECIMAL(10, 2)) AS price FROM range({rows})"""
# figure: (limit in seconds, largest ratio Iceblink / Spark Connect)
TARGETS = {"first_result": (0.050, None), "collect": (0.015, None), "to_arrow": (None, 1 / 3)}


def iceblink(build, port, folder):
    process = subprocess.Popen([str(build / "iceblink"), "serve", "--no-http", "--connect", f"127.0.0.1:{port}"], cwd=folder,
                               stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process


def spark(venv, port, folder):
    home = next(venv.glob("lib/python3*/site-packages/pyspark"))
    jars = ",".join(str(p) for p in (venv / "jars").glob("*.jar"))
    settings = {"spark.connect.grpc.binding.port": port, "spark.connect.grpc.binding.address": "127.0.0.1", "spark.ui.enabled": "false",
                "spark.driver.host": "127.0.0.1", "spark.driver.memory": "4g"}
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]", "--jars", jars, "--class",
               "org.apache.spark.sql.connect.service.SparkConnectServer"]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    log = open(os.path.join(folder, "spark.log"), "w")
    process = subprocess.Popen(command + ["spark-internal"], cwd=folder, stdout=log, stderr=log, env=dict(os.environ, SPARK_HOME=str(home)))
    while "Spark Connect server started" not in pathlib.Path(log.name).read_text():
        assert process.poll() is None, "Spark has ended; see " + log.name
        time.sleep(0.5)
    return process


def session(port, folder):
    from pyspark.sql import SparkSession
    made = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    KEPT.append(made)
    made.conf.set("spark.sql.catalog.demo", "org.apache.iceberg.spark.SparkCatalog")
    made.conf.set("spark.sql.catalog.demo.type", "hadoop")
    made.conf.set("spark.sql.catalog.demo.warehouse", os.path.join(folder, "warehouse"))
    made.conf.set("spark.sql.session.timeZone", "UTC")
    return made


def timed(work, runs):
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def first_result(port):
    from pyspark.sql import SparkSession
    made = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    KEPT.append(made)
    made.sql("SELECT 1").collect()


def measure(port, folder, rows):
    warm = session(port, folder)
    warm.sql("SELECT 1").collect()
    figures = {"first_result": timed(lambda: first_result(port), 9), "collect": timed(lambda: warm.sql("SELECT 1").collect(), 41)}
    warm.sql("CREATE NAMESPACE IF NOT EXISTS demo.bench")
    warm.sql(ROWS.format(rows=rows))
    table = warm.table("demo.bench.rows")
    assert table.toArrow().num_rows == rows
    figures["to_arrow"] = timed(table.toArrow, 3)
    figures["show"] = timed(lambda: table.limit(20).toPandas(), 9)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--spark", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--port", type=int, default=18490)
    args = parser.parse_args()
    results = {}
    for name, start, place in (("iceblink", iceblink, (ROOT / args.build).resolve()), ("spark", spark, args.spark)):
        if place is None:
            continue
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            process = start(place.resolve(), args.port, folder)
            try:
                results[name] = measure(args.port, folder, args.rows)
            finally:
                process.terminate()
                process.wait(60)
    for figure, value in results["iceblink"].items():
        limit, most = TARGETS.get(figure, (None, None))
        peer = results.get("spark", {}).get(figure)
        line = f"{figure:14} {value:8.4f} s" + (f"   at most {limit} s: {'met' if value <= limit else 'NOT MET'}" if limit else "")
        if peer:
            line += f"   Spark Connect {peer:8.4f} s, {value / peer:.3f}x"
            if most:
                line += f", at most {most:.3f}x: {'met' if value / peer <= most else 'NOT MET'}"
        print(line)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
    os._exit(0)  # the client's threads may hang when they are collected
