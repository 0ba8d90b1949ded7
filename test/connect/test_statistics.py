"""DataFrame.describe, summary, stat, observe, and expressions that SQL has no words for."""
import datetime

import pytest
from pyspark.sql import Observation, Row
from pyspark.sql import functions as F


@pytest.fixture
def people(spark):
    return spark.createDataFrame([(10, "Ann", 1.0), (12, "Bob", 2.0), (14, "Cid", 3.0), (16, "Ann", 4.0)], "age INT, name STRING, w DOUBLE")


def test_describe(people):
    assert people.describe().columns == ["summary", "age", "name", "w"]
    rows = {r.summary: r for r in people.describe("age", "name").collect()}
    assert list(rows) == ["count", "mean", "stddev", "min", "max"]
    assert (rows["count"].age, rows["mean"].age, rows["min"].age, rows["max"].name) == ("4", "13.0", "10", "Cid")
    assert rows["mean"].name is None and rows["stddev"].age.startswith("2.58198889747")


def test_summary(people):
    rows = people.select("age").summary().collect()
    assert [r.summary for r in rows] == ["count", "mean", "stddev", "min", "25%", "50%", "75%", "max"]
    assert [r.age for r in rows][3:] == ["10", "10", "12", "14", "16"]
    assert [r.summary for r in people.summary("count", "33%").collect()] == ["count", "33%"]


def spark_range(frame):
    return frame.sparkSession.range(1000)


def test_stat(people):
    assert people.stat.cov("age", "w") == pytest.approx(10 / 3)
    assert people.stat.corr("age", "w") == pytest.approx(1.0)
    assert people.stat.approxQuantile("age", [0.0, 0.5, 1.0], 0.0) == [10.0, 12.0, 16.0]
    assert people.stat.approxQuantile(["age", "w"], [0.5], 0.1) == [[12.0], [2.0]]
    table = people.stat.crosstab("name", "age").orderBy("name_age")
    assert table.columns == ["name_age", "10", "12", "14", "16"]
    assert table.first() == Row("Ann", 1, 0, 0, 1)
    assert people.stat.freqItems(["name"], 0.5).first()[0] == ["Ann"]
    assert {r.name for r in people.stat.sampleBy("name", {"Ann": 1.0}, 1).collect()} == {"Ann"}
    assert people.sample(withReplacement=True, fraction=0.0, seed=3).count() == 0
    assert people.sample(withReplacement=True, fraction=50.0, seed=3).count() > 4
    assert sum(part.count() for part in spark_range(people).randomSplit([1.0, 2.0], 5)) == 1000
    assert people.select("name", "age", "w").limit(2).transpose().collect() == [Row("age", 10.0, 12.0), Row("w", 1.0, 2.0)]


def test_fields_of_structs(spark):
    frame = spark.sql("SELECT named_struct('a', 1, 'b', named_struct('c', 2, 'd', 3)) AS s")
    assert frame.select(frame.s.withField("a", F.lit("x")).alias("s")).first().s == Row(a="x", b=Row(c=2, d=3))
    assert frame.select(frame.s.withField("e", F.lit(5)).alias("s")).first().s.e == 5
    assert frame.select(frame.s.withField("b.c", F.lit(9)).alias("s")).first().s.b == Row(c=9, d=3)
    assert frame.select(frame.s.dropFields("b.c", "a").alias("s")).first().s == Row(b=Row(d=3))
    nothing = spark.sql("SELECT CAST(NULL AS STRUCT<a: INT>) AS s")
    assert nothing.select(nothing.s.withField("a", F.lit(1)).alias("s")).first().s is None


def test_columns_by_pattern(people):
    assert people.select(people.colRegex("`(a|n).*`")).columns == ["age", "name"]


def test_observe(people):
    seen = Observation("seen")
    assert people.observe(seen, F.count(F.lit(1)).alias("rows"), F.max("age").alias("oldest")).filter("age > 10").count() == 3
    assert seen.get == {"rows": 4, "oldest": 16}


def test_variant_and_time(spark):
    row = spark.sql("""SELECT parse_json('{"a": [1, true, "x"]}') AS v, TIME '10:20:30.5' AS t, CAST(NULL AS VARIANT) AS n""").collect()[0]
    assert row.v.toPython() == {"a": [1, True, "x"]} and row.n is None
    assert row.t == datetime.time(10, 20, 30, 500000)


def test_pivot_and_unpivot(people):
    pivoted = people.groupBy("name").pivot("age").agg(F.sum("w")).orderBy("name")
    both = people.groupBy("name").pivot("age", [10]).agg(F.sum("w"), F.max("w").alias("most"))
    assert both.columns == ["name", "10_sum(w)", "10_most"]
    assert pivoted.columns == ["name", "10", "12", "14", "16"] and pivoted.first() == Row("Ann", 1.0, None, None, 4.0)
    long = people.limit(1).unpivot("name", ["age", "w"], "what", "value").collect()
    assert [(r.what, r.value) for r in long] == [("age", 10.0), ("w", 1.0)]
