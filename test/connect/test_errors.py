"""Errors as PySpark unpacks them: class, condition, SQLSTATE, parameters, context."""
import pytest
from pyspark.errors import AnalysisException, ArithmeticException, ParseException, PySparkException
from pyspark.sql import functions as F


def failure(kind, action):
    with pytest.raises(kind) as caught:
        action()
    return caught.value


def test_parameters_of_the_analyzer(spark):
    error = failure(AnalysisException, lambda: spark.sql("SELECT nosuch FROM VALUES (1) AS t(a)").collect())
    assert (error.getCondition(), error.getSqlState()) == ("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703")
    assert error.getMessageParameters() == {"objectName": "`nosuch`", "proposal": "`a`"}


def test_parameters_of_the_session_and_the_parser(spark):
    error = failure(AnalysisException, lambda: spark.sql("DROP TABLE nowhere.t"))
    assert error.getCondition() == "TABLE_OR_VIEW_NOT_FOUND" and error.getMessageParameters()["relationName"].endswith("`t`")
    error = failure(ParseException, lambda: spark.sql("SELEC 1"))
    assert error.getMessageParameters() == {"error": "'SELEC'", "hint": ""} and error.getSqlState() == "42601"


def test_parameters_of_a_runtime_error(spark):
    error = failure(ArithmeticException, lambda: spark.sql("SELECT 1 / 0 AS x").collect())
    assert error.getCondition() == "DIVIDE_BY_ZERO" and error.getMessageParameters() == {"config": '"spark.sql.ansi.enabled"'}


@pytest.mark.parametrize("text, fragment, start, stop", [
    ("SELECT nosuch FROM VALUES (1) AS t(a)", "nosuch", 7, 12),
    ("SELECT count(*)\nFROM VALUES (1) t(a) GROUP BY t.nosuch", "t.nosuch", 46, 53),
    ("SELECT upper(1, (2)) AS u", "upper(1, (2))", 7, 19),
])
def test_context(spark, text, fragment, start, stop):
    context = failure(AnalysisException, lambda: spark.sql(text).collect()).getQueryContext()[0]
    assert (context.fragment(), context.startIndex(), context.stopIndex()) == (fragment, start, stop)


def test_long_messages_arrive_whole(spark):
    error = failure(AnalysisException, lambda: spark.sql("SELECT " + "x" * 5000).collect())
    assert "x" * 5000 in error.getMessage()


def test_python_code_is_refused_by_name(spark):
    twice = F.udf(lambda x: 2 * x, "int")
    error = failure(PySparkException, lambda: spark.range(1).select(twice("id")).collect())
    assert "Python" in error.getMessage() and error.getCondition() is None
    error = failure(PySparkException, lambda: spark.readStream.table("t").isStreaming)
    assert "stream" in error.getMessage().lower()


@pytest.mark.parametrize("cut", [0, 10, 100, 200])
def test_malformed_local_data(spark, cut):
    import pyarrow as pa
    from pyspark.sql.connect.proto import base_pb2_grpc, ExecutePlanRequest

    table = pa.table({"s": ["one", "two", "three"]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data = bytearray(sink.getvalue().to_pybytes())
    request = ExecutePlanRequest(session_id=spark.session_id)
    request.plan.root.project.input.local_relation.data = bytes(data[:cut] + b"\xff" * 40 + data[cut + 40:])
    request.plan.root.project.expressions.add().unresolved_star.SetInParent()
    stub = base_pb2_grpc.SparkConnectServiceStub(spark._client._channel)
    with pytest.raises(Exception, match="Arrow data is malformed"):
        list(stub.ExecutePlan(request))
    assert spark.range(3).count() == 3
