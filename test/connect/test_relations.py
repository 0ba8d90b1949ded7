"""DataFrame operations, each against the answer Spark gives."""
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row, Window
from pyspark.sql import functions as F


@pytest.fixture
def people(spark):
    return spark.createDataFrame([(1, "Ann", 30), (2, "Bob", None), (3, "Cid", 30)], "id INT, name STRING, age INT")


def test_select_filter_order_limit(people):
    assert people.select("name", (F.col("id") * 10).alias("n")).filter("n > 10").orderBy(F.desc("n")).limit(1).collect() == [Row(name="Cid", n=30)]
    assert [r.id for r in people.orderBy(F.col("id").desc()).offset(1).collect()] == [2, 1]
    assert [r.id for r in people.orderBy("id").tail(2)] == [2, 3]
    assert people.selectExpr("id + 1 AS next").first() == Row(next=2)


def test_columns(people):
    changed = people.withColumn("age", F.coalesce("age", F.lit(0))).withColumn("x", F.lit(1)).withColumnRenamed("name", "n").drop("id", "absent")
    assert changed.columns == ["n", "age", "x"]
    assert changed.collect()[1] == Row(n="Bob", age=0, x=1)
    assert people.toDF("a", "b", "c").columns == ["a", "b", "c"]


def test_group(people):
    assert sorted(people.groupBy("age").count().collect(), key=str) == sorted([Row(age=30, count=2), Row(age=None, count=1)], key=str)
    assert people.groupBy("age").agg(F.max("name").alias("m")).filter("age = 30").collect() == [Row(age=30, m="Cid")]
    assert people.rollup("age").count().count() == 3
    assert people.agg(F.countDistinct("age")).collect()[0][0] == 1
    pivot = people.groupBy("age").pivot("name", ["Ann", "Bob"]).agg(F.sum("id"))
    assert pivot.columns == ["age", "Ann", "Bob"]
    assert pivot.filter("age = 30").collect() == [Row(age=30, Ann=1, Bob=None)]


def test_join(spark, people):
    pay = spark.createDataFrame([(1, 100), (3, 300)], "id INT, pay INT")
    assert [r.pay for r in people.join(pay, "id").orderBy("id").collect()] == [100, 300]
    assert people.join(pay, people.id == pay.id, "left").select(people.id, pay.pay).orderBy(people.id).collect()[1] == Row(id=2, pay=None)
    assert people.join(pay, "id", "left_anti").count() == 1
    older = people.filter("id > 1")
    assert people.join(older, people.id == older.id).count() in (2, 4)
    a, b = people.alias("a"), people.alias("b")
    assert a.join(b, F.col("a.id") == F.col("b.id")).select("a.name", "b.age").count() == 3
    assert people.crossJoin(pay).count() == 6


def test_sets(spark, people):
    one = people.limit(1)
    assert people.union(people).count() == 6
    assert people.union(people).distinct().count() == 3
    assert people.union(people).dropDuplicates(["age"]).count() == 2
    assert people.exceptAll(people.filter("id = 1")).count() == 2
    assert people.intersect(people).count() == 3
    other = spark.createDataFrame([("Eve", 9)], "name STRING, id INT")
    assert people.unionByName(other, allowMissingColumns=True).filter("id = 9").collect() == [Row(id=9, name="Eve", age=None)]
    assert one.count() == 1


def test_window_and_functions(people):
    ranked = people.withColumn("r", F.row_number().over(Window.partitionBy("age").orderBy(F.desc("id"))))
    assert {r.name: r.r for r in ranked.collect()} == {"Ann": 2, "Bob": 1, "Cid": 1}
    running = people.select(F.sum("id").over(Window.orderBy("id").rowsBetween(Window.unboundedPreceding, 0)).alias("s"))
    assert [r.s for r in running.collect()] == [1, 3, 6]
    assert people.select(F.when(F.col("id") == 1, "one").otherwise("other").alias("w")).first().w == "one"
    assert people.filter(F.col("name").isin("Ann", "Bob") & F.col("age").isNull()).count() == 1
    assert people.select(F.transform(F.array("id", F.lit(5)), lambda x: x + 1).alias("t")).first().t == [2, 6]
    assert people.filter(F.col("name").like("A%")).count() == 1
    assert people.select(F.col("id").cast("string")).dtypes == [("id", "string")]


def test_na(people):
    assert people.na.fill(7).filter("id = 2").first().age == 7
    assert people.na.drop().count() == 2
    assert people.na.replace("Ann", "Zoe").first().name == "Zoe"


def test_unpivot(spark):
    wide = spark.createDataFrame([(1, 10, 20)], "id INT, a INT, b INT")
    assert wide.unpivot("id", ["a", "b"], "k", "v").collect() == [Row(id=1, k="a", v=10), Row(id=1, k="b", v=20)]


def test_views(spark, people):
    people.createOrReplaceTempView("folk")
    assert spark.sql("SELECT count(*) FROM folk").collect()[0][0] == 3
    assert spark.catalog.dropTempView("folk")
    assert not spark.catalog.dropTempView("folk")


def test_explain_and_semantics(spark, people, capsys):
    spark.range(3).explain()
    assert "Physical Plan" in capsys.readouterr().out
    assert not people.isStreaming
    assert people.select("id").sameSemantics(people.select("id"))
    assert people.persist().count() == 3


def test_long_chains(spark):
    frame = spark.range(2)
    for i in range(150):
        frame = frame.withColumn(f"c{i}", F.lit(i))
    assert len(frame.columns) == 151 and frame.count() == 2


def test_subqueries_and_lateral_joins(spark, people):
    assert people.select("id", people.agg(F.max("age")).scalar().alias("m")).first() == Row(id=1, m=30)
    ids = spark.range(2, 9)
    assert people.alias("o").where(ids.where(F.col("id") == F.col("o.id").outer()).exists()).count() == 2
    assert people.lateralJoin(spark.range(1).select(F.col("name").outer().alias("z"))).count() == 3
    assert people.groupingSets([("age",), ()], "age").agg(F.count("*").alias("n")).count() == 3


def parsed(spark, rows, schema=None, text_format="PARSE_FORMAT_JSON", **options):
    """spark.read.json(Dataset[String]) of the JVM client, which PySpark has no call for."""
    from pyspark.sql.connect import proto
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import LogicalPlan
    from pyspark.sql.connect.types import pyspark_types_to_proto_types
    from pyspark.sql.types import _parse_datatype_string

    class Parse(LogicalPlan):
        def plan(self, session):
            relation = self._create_proto_relation()
            relation.parse.input.CopyFrom(self._child.plan(session))
            relation.parse.format = proto.Parse.ParseFormat.Value(text_format)
            if schema is not None:
                relation.parse.schema.CopyFrom(pyspark_types_to_proto_types(_parse_datatype_string(schema)))
            relation.parse.options.update(options)
            return relation

    texts = spark.createDataFrame([(row,) for row in rows], "value STRING")
    return DataFrame(Parse(texts._plan), spark)


def test_json_texts(spark):
    rows = ['{"b":1,"a":"x"}', '{"a":null,"c":[1,2.5],"d":{"x":true}}']
    df = parsed(spark, rows)
    assert df.schema.simpleString() == "struct<a:string,b:bigint,c:array<double>,d:struct<x:boolean>>"
    assert [tuple(row) for row in df.collect()] == [("x", 1, None, None), (None, None, [1.0, 2.5], (True,))]
    assert [tuple(row) for row in parsed(spark, ['{"a":1} }', '{"a":2} rest']).collect()] == [(1,), (2,)]
    bad = ['{"b":1,"a":"x"}', '{"a"', "", '[{"b":5}]', "12"]
    assert [tuple(row) for row in parsed(spark, bad).collect()] == [
        (None, "x", 1), ('{"a"', None, None), (None, None, 5), ("12", None, None)]
    assert [tuple(row) for row in parsed(spark, bad[:2], mode="DROPMALFORMED").collect()] == [(None, "x", 1)]
    given = parsed(spark, bad[:2], "b INT, z STRING, _corrupt_record STRING")
    assert [tuple(row) for row in given.collect()] == [(1, None, None), (None, None, '{"a"')]


def test_csv_texts_are_refused_by_name(spark):
    with pytest.raises(PySparkException, match="CSV texts"):
        parsed(spark, ["1,x"], "a INT, b STRING", "PARSE_FORMAT_CSV").collect()
