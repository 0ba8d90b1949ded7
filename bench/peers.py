#!/usr/bin/env python3
"""One peer's side of the benchmark: prints one JSON object {figure: [seconds, ...]}.

    peers.py spark  --jars DIR                                 PySpark and the Iceberg runtime in this Python
    peers.py sail   --connect sc://HOST:PORT                   a running Sail server with an Iceberg REST catalog named `rest`
    peers.py duckdb --rest URI --warehouse DIR                 DuckDB with its iceberg extension, and the same REST catalog on local files
"""
import argparse
import glob
import json
import os
import time

from workloads import DUCKDB, MERGE_ON_READ, RUNS, SPARK


def timed(work, runs=RUNS):
    out = []
    for i in range(runs):
        began = time.perf_counter()
        work(i)
        out.append(round(time.perf_counter() - began, 4))
    return out


def spark_like(run, db, row_modes, rewrite):
    run(f"CREATE NAMESPACE IF NOT EXISTS {db}")
    run(SPARK["source"])
    figures = {}
    for name, options in row_modes.items():
        for i in range(RUNS + 1):       # the first is the warm-up
            run(SPARK["target"].format(db=db, t=f"{name}{i}", options=options))
        run(SPARK["merge"].format(db=db, t=f"{name}{RUNS}"))
        figures[f"merge_{name}"] = timed(lambda i: run(SPARK["merge"].format(db=db, t=f"{name}{i}")))
    figures["load"] = timed(lambda i: run(SPARK["load"].format(db=db, t=f"big{i}")))
    run(SPARK["aggregate"].format(source=f"{db}.big0"))
    figures["aggregate"] = timed(lambda i: run(SPARK["aggregate"].format(source=f"{db}.big0")))
    if rewrite:
        for i in range(RUNS + 1):
            run(SPARK["small"].format(db=db, t=f"small{i}"))
        run(rewrite.format(t=f"small{RUNS}"))
        figures["rewrite"] = timed(lambda i: run(rewrite.format(t=f"small{i}")))
    return figures


def spark(args):
    from pyspark.sql import SparkSession
    work = os.path.abspath("spark-warehouse-bench")
    s = (SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g").config("spark.ui.enabled", "false")
         .config("spark.jars", ",".join(glob.glob(f"{args.jars}/*.jar"))).config("spark.sql.session.timeZone", "UTC")
         .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
         .config("spark.sql.catalog.local", "org.apache.iceberg.spark.SparkCatalog").config("spark.sql.catalog.local.type", "hadoop")
         .config("spark.sql.catalog.local.warehouse", work).getOrCreate())
    s.sparkContext.setLogLevel("OFF")
    modes = {"cow": "", "mor": MERGE_ON_READ}
    return spark_like(lambda q: s.sql(q).collect(), "local.db", modes,
                      "CALL local.system.rewrite_data_files(table => 'db.{t}', options => map('min-input-files', '2'))")


def sail(args):
    from pyspark.sql import SparkSession
    s = SparkSession.builder.remote(args.connect).getOrCreate()
    s.conf.set("spark.sql.session.timeZone", "UTC")
    return spark_like(lambda q: s.sql(q).collect(), "rest.sail", {"cow": ""}, None)


def duckdb(args):
    import duckdb as engine
    import duckdb_extensions
    c = engine.connect()
    for extension in ("httpfs", "avro", "iceberg"):
        duckdb_extensions.import_extension(extension)
        c.execute(f"load {extension}")
    c.execute(f"set threads=2; attach '' as r (type iceberg, endpoint '{args.rest}', authorization_type 'none', access_delegation_mode 'none')")
    c.execute("create schema if not exists r.duck")
    c.execute(f"create table src as {DUCKDB['source']}")
    for i in range(RUNS + 1):
        c.execute(f"create table r.duck.t{i} (id bigint, customer varchar, total decimal(10,2), placed timestamp)")
        for folder in ("data", "metadata"):     # the extension makes no folders on a local file system
            os.makedirs(os.path.join(args.warehouse, "duck", f"t{i}", folder), exist_ok=True)
        c.execute(f"insert into r.duck.t{i} {DUCKDB['target']}")
    c.execute(DUCKDB["merge"].format(t=f"r.duck.t{RUNS}"))
    return {"merge_mor": timed(lambda i: c.execute(DUCKDB["merge"].format(t=f"r.duck.t{i}")))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["spark", "sail", "duckdb"])
    parser.add_argument("--jars")
    parser.add_argument("--connect")
    parser.add_argument("--rest")
    parser.add_argument("--warehouse")
    arguments = parser.parse_args()
    print(json.dumps({"spark": spark, "sail": sail, "duckdb": duckdb}[arguments.peer](arguments)))
