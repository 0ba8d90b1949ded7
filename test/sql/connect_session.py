"""The Spark Connect door for scenarios: statements go through PySpark, answers come back in the form of `--format jsonl`."""
import base64
import datetime
import decimal
import logging
import re
import subprocess

import answers

for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
    logging.getLogger(name).disabled = True
KEPT = []  # the client can block for good when Python collects a session while a call is under way


class Server:
    """`iceblink serve` on a free port."""

    def __init__(self, program, folder):
        command = [str(program), "serve", "--no-http", "--connect", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split(": ", 1)[1].strip()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def text_of(moment):
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{moment.microsecond:06d}".rstrip("0") if moment.microsecond else text


def plain(value, kind):
    """A value of PySpark as jsonl prints it."""
    name = kind.typeName()
    if value is None:
        return None
    if name == "array":
        return [plain(v, kind.elementType) for v in value]
    if name == "map":
        return [[plain(k, kind.keyType), plain(v, kind.valueType)] for k, v in value.items()]
    if name == "struct":
        return [plain(v, field.dataType) for v, field in zip(value, kind.fields)]
    if isinstance(value, datetime.datetime):
        return text_of(value)
    if isinstance(value, (datetime.date, datetime.time, decimal.Decimal)):
        return f"{value:f}" if isinstance(value, decimal.Decimal) else value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value.toJson() if name == "variant" else value


class Session:
    def __init__(self, url, conf):
        from pyspark.sql import SparkSession
        self.spark = SparkSession.builder.remote(url).create()
        KEPT.append(self.spark)
        for key, value in conf.items():
            self.spark.conf.set(key, value)

    def run(self, statement):
        return self.answer(lambda: self.spark.sql(statement))

    def answer(self, thing):
        """Of a value, a DataFrame, or a function that makes one of them."""
        from pyspark.errors import PySparkException
        try:
            thing = thing() if callable(thing) else thing
            if not hasattr(thing, "schema"):
                return {"value": list(thing) if isinstance(thing, tuple) else thing}
            fields = thing.schema.fields
            if not fields:
                return {"columns": [], "rows": []}
            rows = [[plain(v, f.dataType) for v, f in zip(row, fields)] for row in thing.collect()]
            return {"columns": [[f.name, f.dataType.simpleString()] for f in fields], "rows": rows}
        except PySparkException as error:
            return {"error": self.error(error)}

    def program(self, path, recorded, placeholders, folder):
        """Runs a PySpark program; [(number, difference or None, label)] of what it emits."""
        results, canon = [], answers.Canon(placeholders)

        def emit(label, thing, ordered=True):
            want, answer = recorded[len(results)], self.answer(thing)
            want = want if ordered else dict(want, ordered=False)
            placeholders.learn()
            results.append((want["n"], answers.difference(want, answer, canon), label))
            return thing

        exec(compile(path.read_text(), str(path), "exec"), {"spark": self.spark, "emit": emit, "tmp": folder})
        return results

    def error(self, error):
        name, text = type(error).__name__, error.getMessage() or str(error)
        bare = re.match(r"\(([\w.$]+)\) (.*)", text, re.S)  # of an exception without a condition
        if bare and not error.getCondition():
            name, text = bare[1].rsplit(".", 1)[-1], bare[2]
        return {"class": name, "condition": error.getCondition(), "sqlState": error.getSqlState(), "message": text}

    def close(self):
        self.spark.stop()
