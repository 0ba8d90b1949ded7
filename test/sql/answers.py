"""Answers: lines of `iceblink sql --format jsonl` against those recorded of Spark, value by value by Spark type."""
import base64
import datetime
import json
import math
import re

from scenario import BYTES_KEY, UTC


def split_type(text):
    """Splits at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += c in "<("
        depth -= c in ">)"
        if c == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return parts + [text[start:]] if text else []


class Canon:
    """Rewrites a value to the recorded form: strings for decimals and times, objects for structs, sorted pairs for maps."""

    def __init__(self, placeholders):
        self.placeholders = placeholders

    def value(self, value, kind, key=None):
        if value is None:
            return None
        for prefix, method in (("array<", self.array), ("map<", self.map), ("struct<", self.struct)):
            if kind.startswith(prefix):
                return method(value, kind[len(prefix):-1], key)
        return self.scalar(value, kind, key)

    def array(self, value, inner, key):
        if key and BYTES_KEY.match(key):
            return "<bytes>"
        return [self.value(x, inner, key) for x in value]

    def map(self, value, inner, key):
        key_type, value_type = split_type(inner)
        pairs = []
        for k, v in value:
            own = k if key_type == "string" else key
            shown = "<bytes>" if key and BYTES_KEY.match(key) else self.value(v, value_type, own)
            pairs.append([self.value(k, key_type), shown])
        return {"map": sorted(pairs, key=lambda p: (p[0] is None or isinstance(p[0], str), p[0]))}

    def struct(self, value, inner, key):
        fields = [field.split(":", 1) for field in split_type(inner)]
        given = dict(zip((name for name, _ in fields), value))
        shown = {}
        for (name, kind), v in zip(fields, value):
            own = given["key"] if name == "value" and isinstance(given.get("key"), str) else name
            shown[name] = self.value(v, kind, own)
        return shown

    def scalar(self, value, kind, key):
        if isinstance(value, bool):
            return value
        if kind in ("double", "float"):
            return value if isinstance(value, str) else float(f"{value:.12g}")
        if isinstance(value, int):
            return self.placeholders.integer(value, key)
        if kind == "binary":
            return self.binary(base64.b64decode(value))
        if kind == "date":
            return "<today>" if value == datetime.datetime.now(UTC).date().isoformat() else value
        if kind in ("timestamp", "timestamp_ntz"):
            return self.placeholders.text(value)
        if kind == "variant":
            return {"variant": json.loads(value)}
        if kind.startswith("decimal"):
            return value
        return self.placeholders.text(value, key)

    def binary(self, data):
        if any(place.encode()[:12] in data for place, _ in self.placeholders.places):
            return "0x<path>"
        return "0x" + data.hex()

    def rows(self, answer):
        columns = answer["columns"]
        names = [name for name, _ in columns]
        described = names[:2] in (["key", "value"], ["col_name", "data_type"], ["info_name", "info_value"])
        shown = []
        for row in answer["rows"]:
            keys = list(names)
            if described and isinstance(row[0], str):
                keys[1] = row[0]
            shown.append([self.value(v, kind, key) for v, (_, kind), key in zip(row, columns, keys)])
        return shown


def blurred(value):
    """Forgets which snapshot is which, and digits that two summations may differ in."""
    if isinstance(value, float):
        return value if math.isnan(value) else float(f"{value:.12g}")
    if isinstance(value, str):
        return re.sub(r"<snapshot:\d+>", "<snapshot>", value)
    if isinstance(value, list):
        return [blurred(x) for x in value]
    if isinstance(value, dict):
        return {k: blurred(v) for k, v in value.items()}
    return value


def bag(rows):
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def simple_name(java_class):
    return re.split(r"[.$]", java_class or "")[-1]


def difference_of_errors(want, error):
    if want["condition"] != error["condition"] or want["sqlState"] != error["sqlState"]:
        return f"error {error['condition'] or error['class']}, not {want['condition'] or want['class']}: {error['message'][:160]}"
    first = error["message"].split("\n")[0]
    if blurred(want["message"]) == blurred(first):
        return None
    if not want["condition"] and simple_name(want["class"]) != simple_name(error["class"]):
        return f"error {error['class']}, not {want['class']}: {first[:160]}"
    return f"message {first[:200]!r}, not {want['message'][:200]!r}"


def same_up_to_ties(have, expected, want):
    """Whether only rows with equal ORDER BY columns have changed places."""
    order = re.search(r"\bORDER\s+BY\s+([\w\s,]+)$", want.get("sql", ""), re.I)
    names = [name for name, _ in want["columns"]]
    keys = [re.sub(r"\s+(ASC|DESC)$", "", key.strip(), flags=re.I) for key in order[1].split(",")] if order else []
    if not keys or any(key not in names for key in keys) or bag(have) != bag(expected):
        return False
    places = [names.index(key) for key in keys]
    return all([a[i] for i in places] == [b[i] for i in places] for a, b in zip(have, expected))


def difference(want, answer, canon):
    """None when the answer is the recorded one, else what differs first."""
    if "error" in answer:
        error = answer["error"]
        if want["status"] == "ok":
            return f"error {error['condition'] or error['class']}: {error['message'][:200]}"
        return difference_of_errors(want["error"], dict(error, message=canon.placeholders.text(error["message"] or "")))
    if want["status"] == "error":
        return f"no error, not {want['error']['condition'] or want['error']['class']}: {want['error']['message'][:160]}"
    if "value" in want or "value" in answer:
        same = want.get("value") == answer.get("value")
        return None if same else f"{answer.get('value', answer)!r}, not {want.get('value', want)!r}"
    if [[n, t] for n, t in answer["columns"]] != want["columns"]:
        return f"columns {answer['columns']}, not {want['columns']}"
    if want.get("rendered_as_strings"):
        have = [[v if v is None or isinstance(v, str) else json.dumps(v) for v in row] for row in answer["rows"]]
    else:
        have = canon.rows(answer)
    have, expected = blurred(have), blurred(want["rows"])
    if not want["ordered"]:
        have, expected = bag(have), bag(expected)
    if have == expected or want["ordered"] and same_up_to_ties(have, expected, want):
        return None
    at = next((i for i, (a, b) in enumerate(zip(have, expected)) if a != b), min(len(have), len(expected)))
    return (f"{len(have)} rows, not {len(expected)}; first at {at}: {json.dumps(have[at:at + 1])[:250]}, not "
            f"{json.dumps(expected[at:at + 1])[:250]}")
