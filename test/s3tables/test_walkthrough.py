"""boto3 makes a table bucket, PySpark works in it through its Iceberg endpoint, PyIceberg reads what it wrote, boto3 cleans up."""
import json

import pytest

from conftest import ACCESS_KEY, ORDERS, REGION, SECRET_KEY, remove_bucket

pytest.importorskip("pyspark.sql", reason="pyspark-client is not installed")
import connect_session  # noqa: E402  (of test/sql)
import scenario  # noqa: E402


def catalog_conf(server, s3_endpoint, arn, name="lake"):
    prefix = f"spark.sql.catalog.{name}"
    return {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "rest",
        f"{prefix}.uri": f"{server.http}/iceberg",
        f"{prefix}.warehouse": arn,
        f"{prefix}.rest.sigv4-enabled": "true",
        f"{prefix}.rest.signing-name": "s3tables",
        f"{prefix}.rest.signing-region": REGION,
        f"{prefix}.rest.access-key-id": "AKTABLES",
        f"{prefix}.rest.secret-access-key": "tables-secret",
        f"{prefix}.s3.endpoint": s3_endpoint,
        f"{prefix}.s3.path-style-access": "true",
        f"{prefix}.s3.access-key-id": ACCESS_KEY,
        f"{prefix}.s3.secret-access-key": SECRET_KEY,
    }


@pytest.fixture
def bucket(tables):
    arn = tables.create_table_bucket(name="orders-walkthrough")["arn"]
    yield arn
    remove_bucket(tables, arn)


def test_orders(server, s3_endpoint, tables, bucket, s3, tmp_path):
    """The PySpark walk-through of orders as it stands among the scenarios, `lake` being the bucket; its answers are real Spark's."""
    recorded = json.loads(ORDERS.with_suffix(".out.json").read_text())["statements"]
    session = connect_session.Session(server.connect, catalog_conf(server, s3_endpoint, bucket))
    results = session.program(ORDERS, recorded, scenario.Placeholders([]), str(tmp_path))
    assert [difference for _, difference, _ in results] == [None] * len(recorded)

    table = tables.get_table(tableBucketARN=bucket, namespace="sales", name="orders")
    assert table["metadataLocation"].startswith(table["warehouseLocation"] + "/metadata/")
    assert session.run("SHOW NAMESPACES IN lake")["rows"] == [["sales"]]
    read_with_pyiceberg(server, s3_endpoint, bucket)
    session.run("DROP TABLE lake.sales.orders PURGE")
    session.close()
    prefix = table["warehouseLocation"].removeprefix("s3://warehouse/")
    assert s3.list_objects_v2(Bucket="warehouse", Prefix=prefix)["KeyCount"] == 0


def read_with_pyiceberg(server, s3_endpoint, arn):
    load_catalog = pytest.importorskip("pyiceberg.catalog").load_catalog
    catalog = load_catalog(
        "lake", type="rest", uri=f"{server.http}/iceberg", warehouse=arn,
        **{"rest.sigv4-enabled": "true", "rest.signing-name": "s3tables", "rest.signing-region": REGION, "client.access-key-id": "AKTABLES",
           "client.secret-access-key": "tables-secret", "client.region": REGION, "s3.endpoint": s3_endpoint,
           "s3.access-key-id": ACCESS_KEY, "s3.secret-access-key": SECRET_KEY, "s3.region": REGION})
    assert catalog.list_namespaces() == [("sales",)]
    rows = catalog.load_table("sales.orders").scan(row_filter="channel = 'web'").to_arrow()
    assert rows.column("order_id").to_pylist() == [9001]
    assert catalog.load_table("sales.orders").scan().to_arrow().num_rows == 6051


def test_writers_never_lose_a_row(server, s3_endpoint, bucket, new_session):
    from concurrent.futures import ThreadPoolExecutor

    def session():
        made = new_session()
        for key, value in catalog_conf(server, s3_endpoint, bucket).items():
            made.conf.set(key, value)
        return made

    def write(worker):
        own = session()
        for i in range(5):
            own.sql(f"INSERT INTO lake.race.t VALUES ({worker * 100 + i})")

    spark = session()
    spark.sql("CREATE NAMESPACE lake.race")
    spark.sql("CREATE TABLE lake.race.t (id bigint) USING iceberg")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    assert spark.sql("SELECT count(DISTINCT id) FROM lake.race.t").first()[0] == 15
