"""boto3 makes a table bucket, PySpark works in it through its Iceberg endpoint, PyIceberg reads what it wrote, boto3 cleans up."""
import pytest

from conftest import ACCESS_KEY, REGION, SECRET_KEY, remove_bucket


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
def spark(new_session):
    return new_session()


@pytest.fixture
def bucket(tables):
    arn = tables.create_table_bucket(name="orders-walkthrough")["arn"]
    yield arn
    remove_bucket(tables, arn)


def fill(spark):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.sales")
    spark.sql("""CREATE TABLE lake.sales.orders (order_id bigint, customer string, total decimal(10, 2), placed_at timestamp)
                 USING iceberg PARTITIONED BY (days(placed_at))""")
    spark.sql("""INSERT INTO lake.sales.orders
                 SELECT id, concat('customer-', id % 50), CAST((id % 97) * 1.25 AS decimal(10, 2)),
                        timestamp'2026-10-01 00:00:00' + make_interval(0, 0, 0, CAST(id DIV 1000 AS int), 0, 0, CAST(id % 1000 * 60 AS int))
                 FROM range(7000)""")


def merge(spark):
    spark.sql("""SELECT id AS order_id, concat('customer-', id % 50) AS customer, CAST(id % 97 * 1.25 + 5 AS decimal(10, 2)) AS total,
                        timestamp'2026-10-07 12:00:00' AS placed_at FROM range(6900, 7050)""").createOrReplaceTempView("updates")
    spark.sql("""MERGE INTO lake.sales.orders AS o USING updates AS u ON o.order_id = u.order_id
                 WHEN MATCHED THEN UPDATE SET o.total = u.total WHEN NOT MATCHED THEN INSERT *""")


def counts(spark):
    return tuple(spark.sql(f"SELECT count(*) FROM lake.sales.orders.{t}").first()[0] for t in ("files", "snapshots"))


def test_orders(server, s3_endpoint, tables, bucket, spark, s3):
    for key, value in catalog_conf(server, s3_endpoint, bucket).items():
        spark.conf.set(key, value)
    fill(spark)
    days = spark.sql("SELECT date(placed_at) AS day, count(*) AS orders FROM lake.sales.orders GROUP BY 1 ORDER BY 1").collect()
    assert [row.orders for row in days] == [1000] * 7
    merge(spark)
    assert spark.sql("SELECT count(*) FROM lake.sales.orders").first()[0] == 7050
    spark.sql("DELETE FROM lake.sales.orders WHERE placed_at < timestamp'2026-10-02 00:00:00'")
    first = spark.sql("SELECT snapshot_id FROM lake.sales.orders.snapshots ORDER BY committed_at LIMIT 1").first()[0]
    count = "SELECT count(*) FROM lake.sales.orders"
    assert spark.sql(count).first()[0] == 6050
    assert spark.sql(f"{count} VERSION AS OF {first}").first()[0] == 7000
    spark.sql("ALTER TABLE lake.sales.orders ADD COLUMN channel string")
    spark.sql("INSERT INTO lake.sales.orders VALUES (9001, 'customer-1', 20.00, timestamp'2026-10-07 18:00:00', 'web')")
    rows = spark.sql("SELECT channel, count(*) AS orders FROM lake.sales.orders GROUP BY channel").collect()
    assert {row.channel: row.orders for row in rows} == {None: 6050, "web": 1}
    compacted = spark.sql("CALL lake.system.rewrite_data_files(table => 'sales.orders', options => map('min-input-files', '2'))").first()
    assert compacted.added_data_files_count >= 1
    spark.sql("CALL lake.system.expire_snapshots(table => 'sales.orders', older_than => current_timestamp(), retain_last => 1)")
    assert counts(spark)[1] == 1

    table = tables.get_table(tableBucketARN=bucket, namespace="sales", name="orders")
    assert table["metadataLocation"].startswith(table["warehouseLocation"] + "/metadata/")
    assert spark.sql("SHOW NAMESPACES IN lake").collect()[0][0] == "sales"
    read_with_pyiceberg(server, s3_endpoint, bucket)
    spark.sql("DROP TABLE lake.sales.orders PURGE")
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


def test_writers_never_lose_a_row(server, s3_endpoint, bucket, spark, new_session):
    for key, value in catalog_conf(server, s3_endpoint, bucket).items():
        spark.conf.set(key, value)
    spark.sql("CREATE NAMESPACE lake.race")
    spark.sql("CREATE TABLE lake.race.t (id bigint) USING iceberg")
    from concurrent.futures import ThreadPoolExecutor

    def write(worker):
        session = new_session()
        for key, value in catalog_conf(server, s3_endpoint, bucket).items():
            session.conf.set(key, value)
        for i in range(5):
            session.sql(f"INSERT INTO lake.race.t VALUES ({worker * 100 + i})")

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    assert spark.sql("SELECT count(DISTINCT id) FROM lake.race.t").first()[0] == 15
