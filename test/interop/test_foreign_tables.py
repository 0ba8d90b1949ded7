"""Tables of other engines' test suites are read with the rows that Spark and DuckDB find in them.

$ICEBLINK_FOREIGN_TABLES is a folder with the files of two repositories under their own paths: `apache__impala` and
`duckdb__duckdb-iceberg`. Tables that the folder lacks are skipped.
"""
import os
import pathlib

import pytest

pytest.importorskip("fastavro", reason="needs scripts/setup --test")
from foreign import Moved  # noqa: E402

from iceblink import Iceblink, SqlError, jdbc  # noqa: E402

FOLDER = os.environ.get("ICEBLINK_FOREIGN_TABLES")
IMPALA = "apache__impala/testdata/data/iceberg_test"
DUCKDB = "duckdb__duckdb-iceberg/data/persistent"

ROWS = [
    # ---- Impala, Hive and Spark as writers
    (f"{IMPALA}/hadoop_catalog/hadoop_catalog_test/functional_parquet/hadoop_catalog_test", 20),
    (f"{IMPALA}/hadoop_catalog/iceberg_resolution_test/functional_parquet/iceberg_resolution_test", 20),
    (f"{IMPALA}/iceberg_migrated_alter_test", 3),
    (f"{IMPALA}/iceberg_non_partitioned", 20),
    (f"{IMPALA}/iceberg_partitioned", 20),
    (f"{IMPALA}/iceberg_column_case_sensitivity_issue", 2),
    (f"{IMPALA}/iceberg_with_puffin_stats", 2),
    (f"{IMPALA}/hadoop_catalog/ice/airports_parquet", 3376),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_alltypes_part", 2),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_legacy_partition_schema_evolution", 2),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_lineitem_multiblock", 17886),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_timestamp_part", 6),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_timestamptz_part", 7),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_uppercase_col", 0),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_with_key_metadata", 3),
    # equality deletes: by one and several sets of columns, NULL keys, old schemas and specs, beside position deletes
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_equality", 2),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_equality_multi_eq_ids", 5),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_equality_nulls", 3),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_equality_partition_evolution", 2),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_equality_partitioned", 6),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_equality_delete_schema_evolution", 3),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_both_eq_and_pos", 2),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_pos_and_multi_eq_ids", 4),
    # position deletes
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_spark_compaction_with_dangling_delete", 4),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_positional", 2),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_no_deletes", 3),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_null_delete_record", 6),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_partitioned_position_deletes", 10),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_positional_delete_all_rows", 0),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_positional_not_all_data_files_have_delete_files", 6),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_positional_update_all_rows", 3),
    # format version 3
    (f"{IMPALA}/iceberg_v3/iceberg_v3_all_types", 2),
    (f"{IMPALA}/iceberg_v3/iceberg_v3_default_value", 2),
    (f"{IMPALA}/iceberg_v3/iceberg_v3_deletion_vectors", 3),
    (f"{IMPALA}/iceberg_v3/iceberg_v3_row_lineage", 3),
    (f"{IMPALA}/iceberg_v3/test_complex_default", 2),
    (f"{IMPALA}/iceberg_v3/test_default_part", 5),
    (f"{IMPALA}/iceberg_v3/trino_variant", 55),
    # ORC and Avro: by ids and by name mapping, beside Parquet, with defaults and row lineage
    (f"{IMPALA}/iceberg_migrated_alter_test_orc", 3),
    (f"{IMPALA}/iceberg_mixed_file_format_test", 4),
    (f"{IMPALA}/hadoop_catalog/ice/airports_orc", 3376),
    (f"{IMPALA}/hadoop_catalog/ice/complextypestbl_iceberg_orc", 8),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_alltypes_part_orc", 2),
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_partitioned_position_deletes_orc", 10),
    (f"{IMPALA}/hadoop_catalog/iceberg_partitioned_orc/functional_parquet/iceberg_partitioned_orc", 20),
    (f"{IMPALA}/iceberg_v3/iceberg_v3_default_value_orc", 2),
    (f"{IMPALA}/iceberg_v3/iceberg_v3_row_lineage_orc", 3),
    (f"{IMPALA}/iceberg_v3/iceberg_v3_default_value_avro", 2),
    # ---- Spark, PyIceberg, Flink and DuckDB as writers
    (f"{DUCKDB}/case_sensitive_names/default.db/case_sensitive_names", 3),
    (f"{DUCKDB}/custom_write_paths", 0),
    (f"{DUCKDB}/equality_deletes/warehouse/mydb/mytable", 2),
    (f"{DUCKDB}/equality_deletes/warehouse/mydb/mytable_partitioned", 3),
    (f"{DUCKDB}/expression_filter", 3),
    (f"{DUCKDB}/hive_partitioned_table", 6),
    (f"{DUCKDB}/iceberg/lineitem_iceberg", 51793),
    (f"{DUCKDB}/iceberg/lineitem_iceberg_gz", 111968),
    (f"{DUCKDB}/iceberg_v1_deprecated/default/legacy_v1", 3),
    (f"{DUCKDB}/iceberg_v1_repro/repro/merch_v1", 4),
    (f"{DUCKDB}/is_null_is_not_null", 8),
    (f"{DUCKDB}/legacy_bare_deletion_vector/warehouse/default/legacy_bare_deletion_vector", 2),
    (f"{DUCKDB}/map_stats/default.db/map_stats", 2),
    (f"{DUCKDB}/name_mapping/warehouse_1/mydb/t1", 10000),
    (f"{DUCKDB}/null_stats/default/test_nulls", 9),
    (f"{DUCKDB}/partition_bigint", 2),
    (f"{DUCKDB}/partition_binary", 2),
    (f"{DUCKDB}/partition_bool", 2),
    (f"{DUCKDB}/partition_decimal_bigint", 10),
    (f"{DUCKDB}/partition_decimal_hugeint", 15),
    (f"{DUCKDB}/partition_decimal_integer", 3),
    (f"{DUCKDB}/partition_decimal_smallint", 2),
    (f"{DUCKDB}/partition_double", 2),
    (f"{DUCKDB}/partition_fixed_length_binary/default.db/partition_fixed_length_binary", 2),
    (f"{DUCKDB}/partition_float", 2),
    (f"{DUCKDB}/partition_integer", 2),
    (f"{DUCKDB}/partition_timestamp/default.db/partition_timestamp", 2),
    (f"{DUCKDB}/partition_timestamptz/default.db/partition_timestamptz", 2),
    (f"{DUCKDB}/uuid", 10),
]

# What is refused, with words of the reason: types that Spark has not, files that are not there or
# that Iceberg's own reader refuses too.
REFUSED = [
    (f"{IMPALA}/hadoop_catalog/ice/iceberg_multiple_storage_locations", "_data02/col_int=2/"),
    (f"{DUCKDB}/column_mapping/warehouse/default.db/my_table", "mock_data.parquet"),
    (f"{DUCKDB}/partition_time/default.db/partition_time", "Spark does not support time fields"),
    (f"{DUCKDB}/add_columns_with_defaults/default.db/add_columns_with_defaults", "Spark does not support time fields"),
    (f"{DUCKDB}/big_query_error", "Invalid Avro file"),
    (f"{DUCKDB}/equality_delete_cross_partition/warehouse/ns/t", "Cannot parse to a long value: current-snapshot-id"),
    (f"{DUCKDB}/generated_bounds", 'No FileSystem for scheme "s3"'),
    (f"{DUCKDB}/timestamptz_ns", "Cannot parse missing long: next-row-id"),
]


@pytest.fixture
def register(tmp_path):
    """A function that registers a copy of a table as local.db.t and returns the session."""
    if not FOLDER:
        pytest.skip("ICEBLINK_FOREIGN_TABLES is unset")
    (tmp_path / "warehouse").mkdir()
    with Iceblink(tmp_path, **jdbc(tmp_path)) as session:
        session.run("CREATE NAMESPACE db")

        def do(name):
            if not (pathlib.Path(FOLDER) / name / "metadata").is_dir():
                pytest.skip(f"ICEBLINK_FOREIGN_TABLES has no {name}")
            moved = Moved(pathlib.Path(FOLDER) / name, tmp_path / "t")
            session.run(f"CALL system.register_table('db.t', '{moved.metadata}')")
            return session

        yield do


def last_folder(case):
    return case.rsplit("/", 1)[-1] if isinstance(case, str) else None


@pytest.mark.parametrize("name, rows", ROWS, ids=last_folder)
def test_rows(register, name, rows):
    session = register(name)
    assert session.run("SELECT count(*) FROM db.t") == [[rows]]
    assert len(session.run("SELECT * FROM db.t")) == rows


@pytest.mark.parametrize("name, words", REFUSED, ids=last_folder)
def test_refused(register, name, words):
    with pytest.raises(SqlError) as caught:
        register(name).run("SELECT * FROM db.t")
    assert words in str(caught.value) and caught.value.kind != "ProcessDied"


@pytest.mark.parametrize("name", ["iceberg_migrated_complex_test", "iceberg_migrated_complex_test_orc"])
def test_field_ids_that_contradict_the_schema(register, name):
    """A name mapping gives a map's id to text: Iceberg's reader refuses it; columns that fit are read."""
    session = register(f"{IMPALA}/{name}")
    assert session.run("SELECT count(*) FROM db.t") == [[1]]
    with pytest.raises(SqlError):
        session.run("SELECT * FROM db.t")
    assert session.run("SELECT count(*) FROM db.t") == [[1]]


@pytest.mark.parametrize("column, kept", [("partition_col", 1), ("user_id", 1)])
def test_partition_values_that_only_the_manifest_knows(register, column, kept):
    session = register(f"{DUCKDB}/partition_bigint")
    value = session.run(f"SELECT min({column}) FROM db.t")[0][0]
    assert value is not None
    assert session.run(f"SELECT count(*) FROM db.t WHERE {column} = {value}") == [[kept]]


def test_other_files_as_metadata(register, tmp_path):
    session = register(f"{DUCKDB}/uuid")
    for path in sorted(pathlib.Path(FOLDER).glob("duckdb__duckdb-iceberg/data/persistent/bad_data/*")):
        with pytest.raises(SqlError) as caught:
            session.run(f"CALL system.register_table('db.bad', '{path}')")
        assert caught.value.kind != "ProcessDied" and path.name in str(caught.value)
    assert session.run("SHOW TABLES IN db LIKE 'bad'") == []
    assert session.run("SELECT count(*) FROM db.t") == [[10]]


def test_tables_of_others_are_changed_and_read_again(register):
    session = register(f"{IMPALA}/hadoop_catalog/ice/iceberg_v2_delete_both_eq_and_pos")
    before = session.run("SELECT * FROM db.t ORDER BY 1")
    column = session.columns[0][0]
    session.run(f"DELETE FROM db.t WHERE {column} = {before[0][0]}")
    assert session.run("SELECT * FROM db.t ORDER BY 1") == before[1:]
    session.run("CALL system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))")
    assert session.run("SELECT * FROM db.t ORDER BY 1") == before[1:]
