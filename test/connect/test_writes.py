"""DataFrameWriter, DataFrameWriterV2, mergeInto and the catalog API."""
import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import functions as F


@pytest.fixture
def rows(spark):
    return spark.createDataFrame([(1, "a"), (2, "b"), (3, "c")], "id INT, v STRING")


def test_v2(spark, rows):
    rows.writeTo("t").using("iceberg").tableProperty("k", "v").partitionedBy(F.bucket(4, "id")).create()
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        rows.writeTo("t").using("iceberg").create()
    rows.writeTo("t").option("snapshot-property.job", "nightly").append()
    assert spark.table("t").count() == 6
    summary = spark.sql(f"SELECT summary['job'] FROM {spark.catalog.currentDatabase()}.t.snapshots ORDER BY committed_at DESC LIMIT 1").collect()
    assert summary[0][0] == "nightly"
    rows.where("id = 1").writeTo("t").overwritePartitions()
    rows.writeTo("t").overwrite(F.lit(True))
    assert spark.table("t").count() == 3
    rows.withColumn("x", F.lit(1.5)).writeTo("t").using("iceberg").createOrReplace()
    assert spark.table("t").columns == ["id", "v", "x"]
    spark.sql("ALTER TABLE t CREATE BRANCH b")
    with pytest.raises(IllegalArgumentException, match="would go to main"):
        rows.withColumn("x", F.lit(0.5)).writeTo("t").option("branch", "b").append()
    rows.withColumn("x", F.lit(0.5)).writeTo(f"{spark.catalog.currentDatabase()}.t.branch_b").append()
    assert [spark.table("t").count(), spark.read.option("branch", "b").table("t").count()] == [3, 6]


def test_v1(spark, rows):
    rows.write.format("iceberg").saveAsTable("s")
    with pytest.raises(AnalysisException):
        rows.write.format("iceberg").saveAsTable("s")
    rows.write.format("iceberg").mode("append").saveAsTable("s")
    assert spark.table("s").count() == 6
    rows.write.format("iceberg").mode("overwrite").saveAsTable("s")
    rows.write.insertInto("s")
    assert spark.table("s").count() == 6
    rows.write.format("iceberg").mode("ignore").saveAsTable("s")
    assert spark.table("s").count() == 6


def test_merge(spark, rows):
    rows.writeTo("m").using("iceberg").create()
    source = spark.createDataFrame([(2, "B"), (4, "D")], "id INT, v STRING").alias("s")
    source.mergeInto("m", F.expr("m.id = s.id")).whenMatched().updateAll().whenNotMatched().insertAll().merge()
    assert [(r.id, r.v) for r in spark.table("m").orderBy("id").collect()] == [(1, "a"), (2, "B"), (3, "c"), (4, "D")]


def test_catalog(spark, rows):
    rows.writeTo("c").using("iceberg").create()
    catalog = spark.catalog
    assert catalog.currentCatalog() == "demo"
    assert catalog.tableExists("c") and not catalog.tableExists("nosuch")
    assert [t.name for t in catalog.listTables()] == ["c"]
    assert [(c.name, c.dataType) for c in catalog.listColumns("c")] == [("id", "int"), ("v", "string")]
    assert catalog.databaseExists(catalog.currentDatabase())
    assert catalog.getTable("c").catalog == "demo"
    assert "demo" in [c.name for c in catalog.listCatalogs()]


def test_files(spark, tmp_path):
    (tmp_path / "a.csv").write_text("id,name\n1,x\n2,y\n")
    frame = spark.read.option("header", True).csv(str(tmp_path / "a.csv"))
    assert frame.columns == ["id", "name"] and frame.count() == 2
    typed = spark.read.schema("id INT, name STRING").option("header", True).csv(str(tmp_path / "a.csv"))
    assert typed.dtypes == [("id", "int"), ("name", "string")] and typed.agg(F.sum("id")).first()[0] == 3
