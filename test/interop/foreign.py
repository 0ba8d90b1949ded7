"""Tables that other engines wrote, moved to another folder: formats name files by full path, so paths are rewritten."""
import glob
import gzip
import json
import os
import pathlib
import re
import shutil

import fastavro
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq

FILE_PATH_ID = 2147483546  # the reserved field id of a position delete's file_path


class Moved:
    """The copy of a table folder: `metadata` is its newest metadata file."""

    def __init__(self, source, target):
        self.target = pathlib.Path(target)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.crc"))
        documents = {path: self.read(path) for path in glob.glob(f"{target}/metadata/*.metadata.json*")}
        documents = {path: d for path, d in documents.items() if "format-version" in d}
        self.metadata = max(documents, key=lambda path: (documents[path].get("last-sequence-number", 0),
                                                         documents[path].get("last-updated-ms", 0), path))
        for path, document in documents.items():
            self.write(path, self.moved(document) | {"location": str(target)})
        for path in glob.glob(f"{target}/**/*.avro", recursive=True):
            self.move_manifest(path)

    @staticmethod
    def read(path):
        with (gzip.open if ".gz" in path else open)(path, "rt") as file:
            return json.load(file)

    @staticmethod
    def write(path, document):
        with (gzip.open if ".gz" in path else open)(path, "wt") as file:
            json.dump(document, file)

    def moved(self, value):
        """The value with every path whose end names a file of the copy made the path of that file."""
        if isinstance(value, dict):
            return {k: self.moved(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.moved(v) for v in value]
        if not isinstance(value, str) or "/" not in value:
            return value
        parts = re.sub(r"^[A-Za-z][\w+.-]*:(//[^/]*)?", "", value).split("/")
        for start in range(len(parts)):
            end = "/".join(parts[start:])
            if end and (self.target / end.lstrip("/")).is_file():
                return str(self.target / end.lstrip("/"))
        return value

    def move_manifest(self, path):
        with open(path, "rb") as file:
            reader = fastavro.reader(file)
            schema, metadata, records = reader.writer_schema, reader.metadata, list(reader)
        for record in records:
            data_file = record.get("data_file") or {}
            if data_file.get("content") == 1:
                self.move_position_deletes(self.moved(data_file["file_path"]), orc if data_file["file_format"].upper() == "ORC" else pq)
            for bounds in ("lower_bounds", "upper_bounds"):
                for entry in data_file.get(bounds) or []:
                    if entry["key"] == FILE_PATH_ID:
                        entry["value"] = self.moved(entry["value"].decode()).encode()
        with open(path, "wb") as file:
            fastavro.writer(file, schema, self.moved(records), codec="deflate",
                            metadata={k: v for k, v in metadata.items() if not k.startswith("avro.")})

    def move_position_deletes(self, path, format):
        if not os.path.exists(path) or path.endswith(".puffin"):
            return
        table = (orc.ORCFile if format is orc else pq.ParquetFile)(path).read()
        index = table.schema.get_field_index("file_path")
        field = table.schema.field(index)
        format.write_table(table.set_column(index, field, pa.array(map(self.moved, table.column(index).to_pylist()), field.type)), path)
