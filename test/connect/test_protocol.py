"""Errors, settings, sessions and operations as the protocol has them."""
import threading
import time
import uuid

import pytest
from pyspark.errors import (AnalysisException, ArithmeticException, ParseException, PySparkException,
                            UnsupportedOperationException)


def test_error_classes(spark):
    with pytest.raises(ParseException) as caught:
        spark.sql("SELEC 1")
    assert caught.value.getCondition() == "PARSE_SYNTAX_ERROR" and caught.value.getSqlState() == "42601"
    with pytest.raises(AnalysisException) as caught:
        spark.sql("SELECT * FROM nosuch")
    assert caught.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND"
    with pytest.raises(AnalysisException) as caught:
        spark.range(1).select("nope").collect()
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert "line 0" not in str(caught.value)
    with pytest.raises(ArithmeticException) as caught:
        spark.sql("SELECT 1 / 0").collect()
    assert caught.value.getCondition() == "DIVIDE_BY_ZERO" and caught.value.getSqlState() == "22012"


def test_refused_by_name(spark):
    from pyspark.sql import functions as F

    with pytest.raises(UnsupportedOperationException, match="UDF"):
        spark.range(1).select(F.udf(lambda x: x, "long")("id")).collect()
    with pytest.raises(UnsupportedOperationException):
        spark.range(1).checkpoint()


def test_settings(spark):
    spark.conf.set("my.key", "1")
    assert spark.conf.get("my.key") == "1"
    spark.conf.unset("my.key")
    assert spark.conf.get("my.key", "fallback") == "fallback"
    with pytest.raises(PySparkException) as caught:
        spark.conf.get("my.key")
    assert caught.value.getCondition() == "SQL_CONF_NOT_FOUND"
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    spark.conf.set("spark.sql.session.timeZone", "Europe/Paris")
    assert spark.sql("SELECT CAST(TIMESTAMP '2026-07-01 00:00:00Z' AS STRING)").collect()[0][0] == "2026-07-01 02:00:00"
    assert spark.sql("SET spark.sql.session.timeZone").collect()[0].value == "Europe/Paris"


def test_sessions_are_apart(new_session):
    a, b = new_session(), new_session()
    a.range(1).createOrReplaceTempView("mine")
    a.conf.set("my.key", "a")
    with pytest.raises(AnalysisException):
        b.sql("SELECT * FROM mine")
    assert b.conf.get("my.key", "none") == "none"


def test_closed_session(new_session):
    session = new_session()
    client = session._client
    session.sql("SELECT 1").collect()
    client.release_session()
    with pytest.raises(PySparkException, match="SESSION_CLOSED"):
        session.sql("SELECT 1").collect()


def test_interrupt(spark):
    failure = []

    def run():
        try:
            spark.sql("SELECT count(*) FROM range(100000) a CROSS JOIN range(1000000) b WHERE (a.id * b.id) % 7 = 8").collect()
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(1.5)
    assert spark.interruptAll()
    thread.join(30)
    assert not thread.is_alive() and failure


def raw(server):
    import grpc
    from pyspark.sql.connect.proto import base_pb2_grpc

    return base_pb2_grpc.SparkConnectServiceStub(grpc.insecure_channel(server.url.removeprefix("sc://")))


def execution(query, reattachable=True):
    from pyspark.sql.connect import proto

    request = proto.ExecutePlanRequest(session_id=str(uuid.uuid4()), operation_id=str(uuid.uuid4()))
    request.user_context.user_id = "raw"
    request.plan.root.sql.query = query
    if reattachable:
        request.request_options.add().reattach_options.reattachable = True
    return request


def test_response_order_and_reattach(server):
    from pyspark.sql.connect import proto

    stub, request = raw(server), execution("SELECT * FROM range(250000)")
    responses = list(stub.ExecutePlan(request))
    kinds = [r.WhichOneof("response_type") for r in responses]
    assert kinds == [None] + ["arrow_batch"] * 4 + ["result_complete"] and responses[0].HasField("schema")
    assert sum(r.arrow_batch.row_count for r in responses) == 250000
    again = proto.ReattachExecuteRequest(session_id=request.session_id, operation_id=request.operation_id,
                                         last_response_id=responses[1].response_id)
    again.user_context.user_id = "raw"
    assert [r.response_id for r in stub.ReattachExecute(again)] == [r.response_id for r in responses[2:]]
    assert [r.response_id for r in stub.ExecutePlan(request)] == [r.response_id for r in responses]  # not run twice
    release = proto.ReleaseExecuteRequest(session_id=request.session_id, operation_id=request.operation_id)
    release.user_context.user_id = "raw"
    release.release_all.SetInParent()
    stub.ReleaseExecute(release)
    import grpc

    with pytest.raises(grpc.RpcError, match="OPERATION_ABANDONED"):
        list(stub.ReattachExecute(again))


def test_operations_that_are_never_released(server):
    """A client that releases nothing can take up its last operations; older ones do not pile up."""
    import grpc
    from pyspark.sql.connect import proto

    stub, request = raw(server), execution("SELECT 1")
    ids = [str(uuid.uuid4()) for _ in range(100)]
    for request.operation_id in ids:
        list(stub.ExecutePlan(request))
    again = proto.ReattachExecuteRequest(session_id=request.session_id, operation_id=ids[-2])
    again.user_context.user_id = "raw"
    assert list(stub.ReattachExecute(again))[-1].HasField("result_complete")
    again.operation_id = ids[0]
    with pytest.raises(grpc.RpcError, match="OPERATION_ABANDONED"):
        list(stub.ReattachExecute(again))
    request.operation_id = ids[0]
    with pytest.raises(grpc.RpcError, match="OPERATION_ABANDONED"):  # and never runs twice
        list(stub.ExecutePlan(request))


@pytest.mark.parametrize("handle", ["session_id", "operation_id"])
def test_malformed_handles(server, handle):
    import grpc

    request = execution("SELECT 1")
    setattr(request, handle, "not a uuid")
    with pytest.raises(grpc.RpcError, match="INVALID_HANDLE.FORMAT"):
        list(raw(server).ExecutePlan(request))
