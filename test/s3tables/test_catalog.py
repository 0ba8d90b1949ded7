"""Iceblink as a client of an S3 Tables control plane (catalog-impl S3TablesCatalog): moto's, and its own."""
import json
import os
import subprocess

import pytest

from conftest import ACCESS_KEY, BINARY, ORDERS, REGION, SECRET_KEY

pytest.importorskip("pyspark.sql", reason="pyspark-client is not installed")
import connect_session  # noqa: E402  (of test/sql)
import scenario  # noqa: E402


def sql(folder, conf, *statements):
    command = [str(BINARY), "sql", "--format", "jsonl", "-e", ";\n".join(statements)]
    for key, value in conf.items():
        command += ["--conf", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout.splitlines()[-1]).get("rows")


@pytest.fixture(params=["moto", "iceblink"])
def service(request, s3_endpoint):
    """(control plane, key, secret)"""
    if request.param == "moto":
        if "ICEBLINK_TEST_S3_ENDPOINT" in os.environ:
            pytest.skip("the S3 server in use is not moto")
        return s3_endpoint, ACCESS_KEY, SECRET_KEY
    return request.getfixturevalue("server").http, "AKTABLES", "tables-secret"


def walk_through(conf, folder):
    """The orders program of the scenarios, exactly as real Spark answers it."""
    recorded = json.loads(ORDERS.with_suffix(".out.json").read_text())["statements"]
    program = connect_session.Server(BINARY, folder)
    session = connect_session.Session(program.url, {**conf, "spark.default.parallelism": "2"})
    results = session.program(ORDERS, recorded, scenario.Placeholders([]), str(folder))
    assert [difference for _, difference, _ in results] == [None] * len(recorded)
    session.run("DROP TABLE lake.sales.orders PURGE")
    session.run("DROP NAMESPACE lake.sales")
    session.close()
    program.stop()


def test_statements(service, s3_endpoint, tmp_path):
    import boto3
    from botocore.exceptions import ClientError

    endpoint, key, secret = service
    tables = boto3.client("s3tables", endpoint_url=endpoint, aws_access_key_id=key, aws_secret_access_key=secret, region_name=REGION)
    try:
        arn = tables.create_table_bucket(name="client-bucket")["arn"]
    except ClientError as error:
        pytest.skip(f"no S3 Tables at {endpoint}: {error}")
    prefix = "spark.sql.catalog.lake"
    conf = {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.catalog-impl": "software.amazon.s3tables.iceberg.S3TablesCatalog",
        f"{prefix}.warehouse": arn,
        f"{prefix}.s3tables.endpoint": endpoint,
        f"{prefix}.client.region": REGION,
        f"{prefix}.client.access-key-id": key,
        f"{prefix}.client.secret-access-key": secret,
        f"{prefix}.s3.endpoint": s3_endpoint,
        f"{prefix}.s3.path-style-access": "true",
        f"{prefix}.s3.access-key-id": ACCESS_KEY,
        f"{prefix}.s3.secret-access-key": SECRET_KEY,
    }
    walk_through(conf, tmp_path)
    rows = sql(tmp_path, conf, "CREATE NAMESPACE lake.sales", "CREATE TABLE lake.sales.t (id bigint, s string) USING iceberg",
               "INSERT INTO lake.sales.t VALUES (1, 'a'), (2, 'b')", "UPDATE lake.sales.t SET s = 'c' WHERE id = 2",
               "SELECT * FROM lake.sales.t ORDER BY id")
    assert rows == [[1, "a"], [2, "c"]]
    where = dict(tableBucketARN=arn, namespace="sales", name="t")
    location = tables.get_table_metadata_location(**where)
    assert location["metadataLocation"].startswith(location["warehouseLocation"] + "/metadata/00002-")
    assert sql(tmp_path, conf, "SHOW TABLES IN lake.sales")[0][:2] == ["sales", "t"]
    sql(tmp_path, conf, "DROP TABLE lake.sales.t", "DROP NAMESPACE lake.sales", "SELECT 1")
    tables.delete_table_bucket(tableBucketARN=arn)
