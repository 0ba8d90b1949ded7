"""Many sessions at once, and clients that misbehave."""
import pathlib
import threading
import time

import grpc
import pytest
from conftest import KEPT, Server

SESSIONS, QUERIES = 32, 5000
METHOD = "/spark.connect.SparkConnectService/"


def memory_of(process):
    """Resident bytes."""
    return int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096


def test_many_sessions_many_queries(tmp_path):
    from pyspark.sql import SparkSession
    server = Server(tmp_path)
    sessions = [SparkSession.builder.remote(server.url).create() for _ in range(SESSIONS)]
    KEPT.extend(sessions)
    wrong, done, sizes, lock = [], [0], {}, threading.Lock()

    def work(number, session):
        for i in range(QUERIES // SESSIONS + 1):
            try:
                got = session.sql(f"SELECT {i} + {number} AS n").collect()[0][0]
                if got != i + number:
                    wrong.append((i, number, got))
            except Exception as error:  # noqa: BLE001
                wrong.append(error)
            with lock:
                done[0] += 1
                if done[0] in (1000, QUERIES):
                    sizes[done[0]] = memory_of(server.process)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:3]
    assert sizes[QUERIES] < sizes[1000] * 1.05, sizes
    for session in sessions:
        session.stop()
    assert server.stop() == 0


def test_idle_sessions_end(tmp_path):
    from pyspark.sql import SparkSession
    server = Server(tmp_path, {"spark.connect.session.manager.defaultSessionTimeout": "300ms"})
    session = SparkSession.builder.remote(server.url).create()
    KEPT.append(session)
    session.sql("SET a.b = c").collect()
    time.sleep(1)
    with pytest.raises(Exception, match="SESSION_CLOSED"):
        session.sql("SELECT 1").collect()
    session.stop()  # else the client takes it for the current one, and asks a server that is gone
    assert server.stop() == 0


@pytest.fixture
def channel(server):
    with grpc.insecure_channel(server.url.removeprefix("sc://")) as channel:
        yield channel


@pytest.mark.parametrize("noise", [b"\xff\xff\xff\xff", b"\x0a\xff\x01abc", bytes(range(256))], ids=["tag", "length", "bytes"])
def test_malformed_messages(spark, channel, noise):
    for name in ("ExecutePlan", "ReattachExecute"):
        with pytest.raises(grpc.RpcError):
            list(channel.unary_stream(METHOD + name)(noise, timeout=10))
    for name in ("AnalyzePlan", "Config", "Interrupt", "ReleaseExecute", "ReleaseSession", "FetchErrorDetails", "ArtifactStatus"):
        with pytest.raises(grpc.RpcError):
            channel.unary_unary(METHOD + name)(noise, timeout=10)
    assert spark.sql("SELECT 1").collect()[0][0] == 1


def test_empty_plans(spark, channel):
    from pyspark.sql.connect.proto import base_pb2
    request = base_pb2.ExecutePlanRequest(session_id=spark.session_id)
    request.user_context.user_id = "somebody"
    with pytest.raises(grpc.RpcError, match="The plan is empty"):
        list(channel.unary_stream(METHOD + "ExecutePlan")(request.SerializeToString(), timeout=10))


def test_a_client_that_vanishes(server, spark):
    """Its statement is interrupted, and what it held is free again."""
    from pyspark.sql.connect.proto import base_pb2
    request = base_pb2.ExecutePlanRequest(session_id="00112233-4455-6677-8899-aabbccddeeff")
    request.user_context.user_id = "somebody"
    request.plan.root.sql.query = "SELECT count(*) FROM range(4000000000) a WHERE a.id % 7 = 3"
    channel = grpc.insecure_channel(server.url.removeprefix("sc://"))
    stream = channel.unary_stream(METHOD + "ExecutePlan")(request.SerializeToString())
    time.sleep(0.3)
    stream.cancel()
    channel.close()
    assert spark.sql("SELECT 1").collect()[0][0] == 1
    before = cpu_of(server.process)
    for _ in range(60):
        time.sleep(0.5)
        after = cpu_of(server.process)
        if after - before < 10:  # hundredths of a second in half a second: it rests
            return
        before = after
    pytest.fail("the statement of a client that has gone still runs")


def cpu_of(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])
