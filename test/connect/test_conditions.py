"""Every error condition in the sources is one that Spark's clients know, with its sub-condition where it has some.

A client looks a condition up in its own list: the JVM client fails on one that is not there, and PySpark shows half a message.
"""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "src"
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CONDITION = re.compile(r"[A-Z_][A-Z0-9_]{4,}(\.[A-Z0-9_]+)?")

NO_CONDITIONS = {"CONDITION", "DEFAULT", "FEBRUARY", "MARCH"}  # of a comment, words of the language


def spark_conditions():
    lines = (HERE / "spark_conditions.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and line[0] != "#"]
    return {row[0]: set(row[1:]) for row in rows}


def strings(path):
    """(text, rest of the file behind it) of the literals of a file; adjacent ones are joined."""
    text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
    joined = re.sub(r'(?<!\\)"\s*\n\s*"', "", text)
    return [(match.group(1), joined[match.end():match.end() + 80]) for match in STRING.finditer(joined)]


def emitted():
    """{condition: files}: texts that start with [CONDITION], and names with a SQLSTATE or a value behind them."""
    known = spark_conditions()
    found = {}
    for path in sorted([*SOURCES.rglob("*.cc"), *SOURCES.rglob("*.h")]):
        if path.name.endswith("_test.cc"):
            continue
        for text, behind in strings(path):
            head = re.match(r"\[([A-Z0-9_.]+)\] ", text)
            name = head.group(1) if head else text
            if not CONDITION.fullmatch(name) or name in NO_CONDITIONS:
                continue
            named = name.split(".")[0] in known or re.match(r'\s*,\s*"[0-9A-Z]{5}"', behind)
            compared = re.match(r"\s*\)", behind) and "starts_with" in path.read_text() and known.get(name) == {"*"}
            if (head or named) and not compared:
                found.setdefault(name, set()).add(path.name)
    return found


def test_conditions_are_sparks_and_whole():
    known = spark_conditions()
    found = emitted()
    assert len(found) > 150
    strange = {name: files for name, files in found.items() if name not in known}
    halves = {name: files for name, files in found.items() if known.get(name) == {"*"}}
    assert not strange and not halves


def texts():
    """{condition: text}: the tables that parameters are read back with; the server's own come first."""
    rows = {}
    for name in ("server/error_parameters.cc", "plan/errors_analysis.cc", "plan/errors_runtime.cc"):
        file = (SOURCES / name).read_text()
        file = re.sub(r'(?<!\\)"\s*\n\s*"', "", file)
        for row in re.finditer(r'\{"([A-Z_][A-Z0-9_.]+)",\s*(?:"[^"]*",(?:[^"]*?"\w+",)?[^"]*?)?"((?:[^"\\]|\\.)*)"\}', file):
            rows.setdefault(row.group(1), row.group(2))
    return rows


def test_texts_have_sparks_parameters():
    known = spark_conditions()
    found = texts()
    assert len(found) > 150
    lacking = {name: known[name] - set(re.findall(r"<(\w+)>", text)) for name, text in found.items() if name in known}
    assert not {name: rest for name, rest in lacking.items() if rest}


def test_conditions_with_parameters_have_a_text():
    known = spark_conditions()
    found = texts()
    assert not {name for name in emitted() if known.get(name, {"*"}) - {"*"} and name not in found}
