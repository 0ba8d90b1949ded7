"""Scenarios: files of Spark SQL statements with directives in comments, and the placeholders that make answers comparable.

    -- @catalog NAME TYPE [key=value ...]     at the head; without any there is `demo jdbc`
    -- @conf KEY=VALUE                        at the head
    -- @let NAME = QUERY                      keeps the query's single value; ${NAME} stands for it later
    -- @sleep SECONDS                         before a statement
"""
import dataclasses
import datetime
import json
import os
import re
import time


@dataclasses.dataclass
class Step:
    """A statement (may be empty) and the directives written before it."""
    directives: list
    text: str


TOKEN = re.compile(
    r"--\s*@(?P<name>\w+)[ \t]*(?P<value>[^\n]*)"      # directive
    r"|--[^\n]*"                                        # comment to the end of the line
    r"|(?P<hint>/\*\+.*?\*/)|/\*.*?\*/"
    r"|(?P<quoted>'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`)"
    r"|(?P<end>;)|(?P<other>.)", re.S)


def parse(text):
    """Cuts a scenario's text at semicolons outside of quotes and comments."""
    steps, directives, statement = [], [], ""
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if token["name"] and not statement.strip():
            directives.append((token["name"], token["value"].strip()))
        elif token["end"]:
            if statement.strip() or directives:
                steps.append(Step(directives, statement.strip()))
            directives, statement = [], ""
        elif kind in ("hint", "quoted", "other"):
            statement += token[0]
        elif statement.strip() and token[0].startswith("--"):
            statement += token[0]  # a comment inside a statement is part of it
    if statement.strip() or directives:
        steps.append(Step(directives, statement.strip()))
    return steps


def head(text):
    """[(name, value)] of the directives before the first statement, in comments of SQL or of Python."""
    found = []
    for line in text.splitlines():
        directive = re.match(r"\s*(?:--|#)\s*@(\w+)[ \t]*(.*)$", line)
        if directive:
            found.append((directive[1], directive[2].strip()))
        elif line.strip() and not re.match(r"\s*(--|#)", line):
            break
    return found


def catalogs_of(directives):
    """{name: (type, properties)} of the head's @catalog directives."""
    found = {}
    for name, value in directives:
        if name == "catalog":
            catalog, kind, *properties = value.split()
            found[catalog] = (kind, dict(p.split("=", 1) for p in properties))
    return found or {"demo": ("jdbc", {})}


def settings_of(directives, folder):
    """The --conf of a scenario that runs in `folder`, and the folders whose names differ from run to run."""
    conf = {"spark.sql.session.timeZone": "UTC", "iceblink.guards": "off", "spark.default.parallelism": "2"}
    places = []
    catalogs = catalogs_of(directives)
    for name, (kind, properties) in catalogs.items():
        warehouse = os.path.join(folder, name, "wh")
        os.makedirs(warehouse)
        prefix = f"spark.sql.catalog.{name}"
        conf[prefix] = "org.apache.iceberg.spark.SparkCatalog"
        conf[prefix + ".type"] = kind
        conf[prefix + ".warehouse"] = warehouse
        if kind == "jdbc":
            conf[prefix + ".uri"] = f"jdbc:sqlite:{folder}/{name}/catalog.db"
            conf[prefix + ".jdbc.schema-version"] = "V1"
        conf.update({f"{prefix}.{key}": value for key, value in properties.items()})
        places.append((warehouse, "<warehouse>" if len(catalogs) == 1 else f"<warehouse:{name}>"))
    for name, value in directives:
        if name == "conf":
            key, text = value.split("=", 1)
            conf[key.strip()] = text.strip()
    return conf, places + [(folder, "<tmp>")]


UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
NAMES = [  # generated file names, then whatever else is random
    (re.compile(rf"\b\d{{5}}-\d+-{UUID}(?:-\d+)?-\d{{5}}(-deletes)?\.(parquet|avro|orc|puffin)"), r"<file>\1.\2"),
    (re.compile(rf"\b\d{{5}}-\d+-{UUID}-\d{{5}}(-deletes)?\.(parquet|avro|orc|puffin)"), r"<file>\1.\2"),
    (re.compile(rf"snap-\d+-\d+-{UUID}\.avro"), "<manifest-list>.avro"),
    (re.compile(rf"(?:{UUID}-m\d+|optimized-m-{UUID})\.avro"), "<manifest>.avro"),
    (re.compile(UUID), "<uuid>"),
]
TAILS = [
    (re.compile(r"local-\d{13}"), "<app-id>"),
    (re.compile(r"(?m)^Owner: .*$"), "Owner: <owner>"),
    (re.compile(r"(?m)^Table Properties: \[\[,.*$"), "Table Properties: <characters>"),
    (re.compile(r"^\d+ bytes(, \d+ rows)?$"), r"<bytes> bytes\1"),
    (re.compile(r"@[0-9a-f]{6,8}\b"), "@<hash>"),
    (re.compile(r"#\d+(L?)\b"), r"#<n>\1"),
]
SNAPSHOT_KEY = re.compile(r"(.*snapshot_id|.*-snapshot-id|snapshot-id|parent_id|previous_ref|updated_ref|ancestor_id)$")
BYTES_KEY = re.compile(r"(.*size_in_bytes|length|rewritten_bytes_count|added_bytes_count|content_offset|.*-files-size|column_sizes|"
                       r"split_offsets|column_size|compressed-size.*|total_size|key_metadata)$")
VOLATILE = {"spark.app.id": "<app-id>", "app-id": "<app-id>", "app-name": "<app-name>", "uuid": "<uuid>", "view-uuid": "<uuid>",
            "owner": "<owner>", "Owner": "<owner>", "iceberg-version": "<iceberg-version>", "iceberg.version": "<iceberg-version>"}
VOLATILE.update({key: "<engine-version>" for key in ("engine-version", "spark.version", "spark_version", "engine_version")})
STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z| UTC)?")
NUMBER = re.compile(r"(?<![\d.])\d{12,20}(?!\d)")
UTC = datetime.timezone.utc


class Placeholders:
    """Replaces what differs from run to run: ids, times of the run, folders, sizes."""

    def __init__(self, places):
        self.places = places
        self.began = time.time() - 2
        self.snapshots = set()
        self.files_seen = set()

    def learn(self):
        """Collects the snapshot ids of the metadata files written so far."""
        for place, _ in self.places:
            for folder, _, names in os.walk(place):
                for name in names:
                    path = os.path.join(folder, name)
                    if not name.endswith(".metadata.json") or path in self.files_seen:
                        continue
                    self.files_seen.add(path)
                    try:
                        with open(path) as file:
                            self.snapshots.update(s["snapshot-id"] for s in json.load(file).get("snapshots", []))
                    except (ValueError, OSError):
                        pass

    def is_now(self, seconds):
        return self.began <= seconds <= time.time() + 2

    def number(self, value, text=None):
        if value in self.snapshots:
            return "<snapshot>"
        digits = len(text) if text else None
        if digits in (None, 13) and self.is_now(value / 1e3):
            return "<ts-ms>"
        if digits in (None, 16) and self.is_now(value / 1e6):
            return "<ts-us>"
        return text if text else value

    def stamp(self, match):
        try:
            bare = re.sub(r"Z| UTC|\+00:00", "", match[0])[:26]
            when = datetime.datetime.fromisoformat(bare).replace(tzinfo=UTC)
        except ValueError:
            return match[0]
        return "<ts>" if self.is_now(when.timestamp()) else match[0]

    def text(self, text, key=None):
        if key in VOLATILE:
            return VOLATILE[key]
        if key and BYTES_KEY.match(key) and text.isdigit():
            return "<bytes>"
        for place, name in self.places:
            for form in ("file://" + place, "file:" + place, place):
                text = text.replace(form, name)
        for pattern, name in NAMES:
            text = pattern.sub(name, text)
        text = NUMBER.sub(lambda m: self.number(int(m[0]), m[0]), text)
        text = STAMP.sub(self.stamp, text)
        for pattern, name in TAILS:
            text = pattern.sub(name, text)
        return text

    def integer(self, value, key):
        if value in self.snapshots or (key and SNAPSHOT_KEY.match(key) and abs(value) > 10 ** 12):
            return "<snapshot>"
        if key and BYTES_KEY.match(key):
            return "<bytes>"
        return self.number(value)
