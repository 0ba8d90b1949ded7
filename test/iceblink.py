"""Drives `iceblink sql --format jsonl` for the tests: one process, one statement at a time, rows as Python lists."""
import json
import os
import pathlib
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("ICEBLINK", ROOT / "build" / "iceblink"))


class SqlError(Exception):
    """A failed statement; `kind` is Spark's condition or, where there is none, the exception's simple name."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.kind = error["condition"] or error["class"]
        self.sql_state = error["sqlState"]


class Iceblink:
    """A session. Use as a context manager; `run` answers rows, `columns` holds the last statement's columns."""

    def __init__(self, folder, temp=None, **conf):
        """`temp`: a temporary folder of its own, as on another machine: writers that share one wait for each other."""
        command = [str(BINARY), "sql", "--format", "jsonl", "--keep-going"]
        for key, value in conf.items():
            command += ["--conf", f"{key}={value}"]
        self.columns = []
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, TZ="UTC", **({"TMPDIR": str(temp)} if temp else {})))

    def start(self, statement):
        self.process.stdin.write(statement + "\n;\n")
        self.process.stdin.flush()

    def finish(self):
        line = self.process.stdout.readline()
        if not line:
            raise SqlError({"message": "the process ended", "condition": None, "class": "ProcessDied", "sqlState": None})
        answer = json.loads(line)
        if "error" in answer:
            raise SqlError(answer["error"])
        self.columns = answer["columns"]
        return answer["rows"]

    def run(self, statement):
        self.start(statement)
        return self.finish()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)


def jdbc(folder, name="local"):
    """Settings of a SQLite catalog in `folder`, as Spark's JdbcCatalog and PyIceberg's SqlCatalog open it too."""
    prefix = f"spark.sql.catalog.{name}"
    return {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "jdbc",
            f"{prefix}.uri": f"jdbc:sqlite:{folder}/catalog.db", f"{prefix}.warehouse": f"{folder}/warehouse",
            f"{prefix}.jdbc.schema-version": "V1", "spark.sql.defaultCatalog": name}


def append_from_two(one, two, times, before=lambda: None):
    """Both sessions append (writer, n) to db.t, `times` each and at once; what must be there afterwards is checked."""
    failures = []

    def append(session, writer):
        for n in range(times):
            before()
            try:
                session.run(f"INSERT INTO db.t VALUES ({writer}, {n})")
            except SqlError as error:
                failures.append(str(error))

    threads = [threading.Thread(target=append, args=a) for a in ((one, 1), (two, 2))]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert failures == []
    assert one.run("SELECT count(*) FROM db.t.snapshots") == [[2 * times]]
    assert one.run("SELECT writer, count(*), count(DISTINCT n) FROM db.t GROUP BY writer ORDER BY writer") == [
        [1, times, times], [2, times, times]]
