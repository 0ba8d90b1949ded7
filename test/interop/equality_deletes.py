"""Commits an equality delete file as Flink does; PyIceberg reads none and writes none, so its parts are put together here."""
import uuid

import fastavro
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import (DataFile, DataFileContent, FileFormat, ManifestContent, ManifestEntry, ManifestEntryStatus,
                                ManifestWriterV2, write_manifest_list)
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, AssertRefSnapshotId, SetSnapshotRefUpdate
from pyiceberg.typedef import Record


class DeleteManifestWriter(ManifestWriterV2):
    def content(self):
        return ManifestContent.DELETES

    @property
    def _meta(self):
        return super()._meta | {"content": "deletes"}


def make_equality_ids_int(path):
    """PyIceberg declares the ids as long, which the specification does not and Iceberg's Java readers refuse."""
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        schema, metadata, records = reader.writer_schema, reader.metadata, list(reader)
    data_file = next(field for field in schema["fields"] if field["name"] == "data_file")["type"]
    ids = next(field for field in data_file["fields"] if field["name"] == "equality_ids")["type"]
    next(branch for branch in ids if isinstance(branch, dict))["items"] = "int"
    with open(path, "wb") as file:
        fastavro.writer(file, schema, records, codec="deflate", metadata={k: v for k, v in metadata.items() if not k.startswith("avro.")})


AVRO_TYPES = {"int": "int", "long": "long", "string": "string"}


def write_rows(file, schema, keys, format):
    """Rows of a dict of lists as a file with the schema's field ids."""
    if format == "parquet":
        return pq.write_table(pa.table(keys, schema=schema_to_pyarrow(schema)), file)
    if format == "orc":
        fields = [pa.field(f.name, schema_to_pyarrow(f.field_type), metadata={"iceberg.id": str(f.field_id)}) for f in schema.fields]
        return orc.write_table(pa.table(keys, schema=pa.schema(fields)), file)
    fields = [{"name": f.name, "type": ["null", AVRO_TYPES[str(f.field_type)]], "field-id": f.field_id} for f in schema.fields]
    rows = [dict(zip(keys, row)) for row in zip(*keys.values())]
    return fastavro.writer(file, {"type": "record", "name": "table", "fields": fields}, rows, codec="deflate")


def delete_equal(table, keys, format="parquet"):
    """Deletes from an unpartitioned version 2 table the rows whose columns equal a row of `keys`, a dict of lists."""
    table.refresh()
    parent, snapshot_id, folder = table.current_snapshot(), uuid.uuid4().int >> 65, table.location()
    schema = table.schema().select(*keys)
    path = f"{folder}/data/equality-{uuid.uuid4()}.{format}"
    with table.io.new_output(path).create() as file:
        write_rows(file, schema, keys, format)
    entry = DataFile.from_args(content=DataFileContent.EQUALITY_DELETES, file_path=path, file_format=FileFormat[format.upper()], partition=Record(),
                               record_count=len(next(iter(keys.values()))), file_size_in_bytes=len(table.io.new_input(path)),
                               equality_ids=[field.field_id for field in schema.fields])
    output = table.io.new_output(f"{folder}/metadata/{uuid.uuid4()}-m0.avro")
    with DeleteManifestWriter(table.spec(), table.schema(), output, snapshot_id, "deflate") as writer:
        writer.add(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=snapshot_id, data_file=entry))
    make_equality_ids_int(output.location.removeprefix("file://"))
    sequence = table.metadata.last_sequence_number + 1
    manifest_list = f"{folder}/metadata/snap-{snapshot_id}-1-{uuid.uuid4()}.avro"
    with write_manifest_list(2, table.io.new_output(manifest_list), snapshot_id, parent.snapshot_id, sequence, "deflate") as manifests:
        manifests.add_manifests([*parent.manifests(table.io), writer.to_manifest_file()])
    snapshot = Snapshot(snapshot_id=snapshot_id, parent_snapshot_id=parent.snapshot_id, sequence_number=sequence,
                        manifest_list=manifest_list, summary=Summary(Operation.DELETE), schema_id=table.schema().schema_id)
    table.catalog.commit_table(table, (AssertRefSnapshotId(ref="main", snapshot_id=parent.snapshot_id),),
                               (AddSnapshotUpdate(snapshot=snapshot),
                                SetSnapshotRefUpdate(ref_name="main", type="branch", snapshot_id=snapshot_id)))
