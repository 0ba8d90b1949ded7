"""What a PySpark user does first: connect, read, change, look at history."""
import datetime
import decimal

import pytest
from pyspark.sql import Row
from pyspark.sql import functions as F


def test_version_and_literals(spark):
    assert spark.version == "4.1.3"
    assert spark.sql("SELECT 1 AS a, 'x' AS b, CAST(NULL AS DATE) AS c").collect() == [Row(a=1, b="x", c=None)]


def test_every_type_arrives(spark):
    row = spark.sql("""
        SELECT true AS bo, 1Y AS ti, 2S AS sm, 3 AS i, 4L AS bi, CAST(1.5 AS FLOAT) AS f, 2.5D AS d, 12.34 AS de, 'é' AS s,
               X'00FF' AS b, DATE '2026-07-01' AS da, TIMESTAMP '2026-07-01 10:00:00' AS ts,
               TIMESTAMP_NTZ '2026-07-01 10:00:00.5' AS tn, array(1, NULL) AS a, map('k', 1) AS m,
               named_struct('x', 1, 'y', array('z')) AS st""").collect()[0]
    assert (row.bo, row.ti, row.sm, row.i, row.bi, row.f, row.d) == (True, 1, 2, 3, 4, 1.5, 2.5)
    assert row.de == decimal.Decimal("12.34") and row.s == "é" and bytes(row.b) == b"\x00\xff"
    assert row.da == datetime.date(2026, 7, 1) and row.tn == datetime.datetime(2026, 7, 1, 10, 0, 0, 500000)
    assert row.a == [1, None] and row.m == {"k": 1} and row.st == Row(x=1, y=["z"])


TYPES = ["VOID", "BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "STRING", "BINARY", "DATE", "TIMESTAMP",
         "TIMESTAMP_NTZ", "INTERVAL DAY TO SECOND", "ARRAY<INT>", "ARRAY<ARRAY<STRING>>", "MAP<STRING,INT>", "VARIANT",
         "MAP<STRING,MAP<INT,STRING>>", "STRUCT<a:INT,b:ARRAY<MAP<STRING,STRUCT<c:STRING>>>>"]


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_every_type_without_values(spark, rows):
    columns = ", ".join(f"CAST(NULL AS {kind}) AS c{i}" for i, kind in enumerate(TYPES))
    columns += ", array(CAST(NULL AS INT)) AS a3, named_struct('s', CAST(NULL AS STRING)) AS n"
    table = spark.sql(f"SELECT {columns} FROM range({rows})").toArrow()
    table.validate(full=True)
    assert table.num_rows == rows and table.column("c3").null_count == rows
    assert [len(v) for v in table.column("a3").to_pylist()] == [1] * rows


def test_orders_from_start_to_tag(spark):
    spark.sql("CREATE TABLE orders (id BIGINT, status STRING, price DOUBLE) USING iceberg")
    spark.sql("INSERT INTO orders VALUES (1, 'placed', 10.0), (2, 'placed', 20.0)")
    spark.sql("ALTER TABLE orders CREATE TAG first_day")
    spark.sql("""MERGE INTO orders t USING (SELECT 1 AS id, 'shipped' AS status) s ON t.id = s.id
                 WHEN MATCHED THEN UPDATE SET t.status = s.status""")
    orders = spark.table("orders")
    assert [r.status for r in orders.orderBy("id").collect()] == ["shipped", "placed"]
    assert spark.sql("SELECT count(*) FROM orders VERSION AS OF 'first_day' WHERE status = 'placed'").collect()[0][0] == 2
    assert spark.read.option("versionAsOf", "first_day").table("orders").filter("status = 'placed'").count() == 2
    history = spark.sql(f"SELECT operation FROM {spark.catalog.currentDatabase()}.orders.snapshots ORDER BY committed_at")
    assert [r.operation for r in history.collect()] == ["append", "overwrite"]


def test_show(spark, capsys):
    spark.sql("SELECT * FROM VALUES (1, 'Audi'), (22, NULL) AS t(n, brand)").show()
    assert capsys.readouterr().out == (
        "+---+-----+\n|  n|brand|\n+---+-----+\n|  1| Audi|\n| 22| NULL|\n+---+-----+\n\n")
    spark.range(3).show(2)
    assert "only showing top 2 rows" in capsys.readouterr().out
    spark.sql("SELECT 'abcdefghij' AS t").show(truncate=5)
    assert "|ab...|" in capsys.readouterr().out
    spark.sql("SELECT 1 AS a").show(vertical=True)
    assert capsys.readouterr().out == "-RECORD 0--\n a   | 1   \n\n"


def test_schema_and_tree(spark, capsys):
    frame = spark.sql("SELECT 1L AS id, array('a') AS tags")
    assert frame.columns == ["id", "tags"]
    assert frame.dtypes == [("id", "bigint"), ("tags", "array<string>")]
    frame.printSchema()
    assert capsys.readouterr().out == (
        "root\n |-- id: long (nullable = false)\n |-- tags: array (nullable = false)\n"
        " |    |-- element: string (containsNull = false)\n\n")


def test_pandas_and_local_data(spark):
    frame = spark.createDataFrame([(1, "a"), (2, None)], "id INT, name STRING")
    assert frame.count() == 2
    assert list(frame.toPandas()["id"]) == [1, 2]
    import pandas

    back = spark.createDataFrame(pandas.DataFrame({"x": [1.5, 2.5], "y": ["p", "q"]}))
    assert back.agg(F.sum("x")).collect()[0][0] == 4.0


def test_many_rows_come_in_batches(spark):
    assert spark.range(100_000).toPandas()["id"].sum() == 4_999_950_000
    rows = spark.range(25_000).toLocalIterator()
    first = next(rows)
    assert spark.range(5).count() == 5  # while the first result is half read
    assert first.id == 0 and sum(1 for _ in rows) == 24_999


def test_large_local_data_is_uploaded(spark):
    text = "x" * 1000
    frame = spark.createDataFrame([(i, text) for i in range(3000)], "id INT, text STRING")
    assert frame.filter("id >= 2990").count() == 10


def test_parameters(spark):
    assert spark.sql("SELECT :a + 1 AS x, :b AS y", args={"a": 41, "b": "it's"}).collect() == [Row(x=42, y="it's")]
    assert spark.sql("SELECT ? * ? AS x", args=[6, 7]).collect() == [Row(x=42)]
    frame = spark.range(4)
    assert spark.sql("SELECT sum(id) AS s FROM {df}", df=frame).collect() == [Row(s=6)]


def test_arrow_tables(spark):
    """Types that Arrow has beside Spark's own."""
    import pyarrow as pa

    table = pa.table({
        "word": pa.array(["a", None, "a"]).dictionary_encode(),
        "large": pa.array(["x", "y", None], pa.large_string()),
        "pair": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int32(), 2)),
        "map": pa.array([[("k", 1.5)], None, []], pa.map_(pa.string(), pa.float32())),
    })
    rows = spark.createDataFrame(table).collect()
    assert [r.word for r in rows] == ["a", None, "a"]
    assert [r.large for r in rows] == ["x", "y", None] and rows[2].pair == [5, 6]
    assert [r.map for r in rows] == [{"k": 1.5}, None, {}]
