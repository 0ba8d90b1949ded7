-- compute_partition_stats: what it answers, what its files hold; compute_table_stats.
CREATE NAMESPACE demo.db;
CREATE TABLE demo.db.t (id INT, dep STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (dep, days(ts)) TBLPROPERTIES ('write.delete.mode'='merge-on-read');
CALL demo.system.compute_partition_stats('db.t');
INSERT INTO demo.db.t SELECT /*+ COALESCE(1) */ CAST(id AS INT), IF(id % 2 = 0, 'a', 'b'), TIMESTAMP'2024-01-01 00:00:00' FROM range(0, 10, 1, 1);
CALL demo.system.compute_partition_stats('db.t');
CALL demo.system.compute_partition_stats('db.t');
DELETE FROM demo.db.t WHERE id = 3;
CALL demo.system.compute_partition_stats(table => 'db.t');
INSERT INTO demo.db.t SELECT /*+ COALESCE(1) */ CAST(id AS INT), null, TIMESTAMP'2024-01-02 00:00:00' FROM range(0, 5, 1, 1);
ALTER TABLE demo.db.t ADD PARTITION FIELD bucket(4, id);
INSERT INTO demo.db.t VALUES (100, 'c', null);
-- @let first = SELECT snapshot_id FROM demo.db.t.snapshots ORDER BY committed_at LIMIT 1
CALL demo.system.compute_partition_stats('db.t');
CALL demo.system.compute_partition_stats('db.t', ${first});
CALL demo.system.compute_partition_stats('db.t', 42);
DELETE FROM demo.db.t WHERE dep = 'a';
CALL demo.system.compute_partition_stats('db.t');
CREATE TABLE demo.db.u (id INT) USING iceberg;
CALL demo.system.compute_partition_stats('db.u');
INSERT INTO demo.db.u VALUES (1);
CALL demo.system.compute_partition_stats('db.u');
CALL demo.system.compute_partition_stats('db.nosuch');
CALL demo.system.compute_partition_stats();
CREATE TABLE demo.db.v3 (id INT, dep STRING) USING iceberg PARTITIONED BY (dep) TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='merge-on-read');
INSERT INTO demo.db.v3 VALUES (1, 'a'), (2, 'a'), (3, 'b');
DELETE FROM demo.db.v3 WHERE id = 1;
CALL demo.system.compute_partition_stats('db.v3');
CREATE TABLE demo.db.v1 (id INT, dep STRING) USING iceberg PARTITIONED BY (dep) TBLPROPERTIES ('format-version'='1');
INSERT INTO demo.db.v1 VALUES (1, 'a'), (2, 'a'), (3, 'b');
CALL demo.system.compute_partition_stats('db.v1');
CALL demo.system.compute_table_stats('db.u');
CALL demo.system.compute_table_stats('db.u', 42);
CALL demo.system.compute_table_stats('db.t');
CREATE TABLE demo.db.f_t (id INT, dep STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (dep, days(ts)) LOCATION 'file:${tmp}/f_t' TBLPROPERTIES ('write.delete.mode'='merge-on-read');
INSERT INTO demo.db.f_t SELECT /*+ COALESCE(1) */ CAST(id AS INT), IF(id % 2 = 0, 'a', 'b'), TIMESTAMP'2024-01-01 00:00:00' FROM range(0, 10, 1, 1);
CALL demo.system.compute_partition_stats('db.f_t');
-- @let s1 = SELECT snapshot_id FROM demo.db.f_t.snapshots ORDER BY committed_at DESC LIMIT 1
SELECT * FROM parquet.`${tmp}/f_t/metadata/partition-stats-${s1}-*.parquet`;
DESCRIBE QUERY SELECT * FROM parquet.`${tmp}/f_t/metadata/partition-stats-${s1}-*.parquet`;
DELETE FROM demo.db.f_t WHERE id = 3;
CALL demo.system.compute_partition_stats(table => 'db.f_t');
-- @let s2 = SELECT snapshot_id FROM demo.db.f_t.snapshots ORDER BY committed_at DESC LIMIT 1
SELECT * FROM parquet.`${tmp}/f_t/metadata/partition-stats-${s2}-*.parquet`;
INSERT INTO demo.db.f_t SELECT /*+ COALESCE(1) */ CAST(id AS INT), null, TIMESTAMP'2024-01-02 00:00:00' FROM range(0, 5, 1, 1);
ALTER TABLE demo.db.f_t ADD PARTITION FIELD bucket(4, id);
INSERT INTO demo.db.f_t VALUES (100, 'c', null);
-- @let s3 = SELECT snapshot_id FROM demo.db.f_t.snapshots ORDER BY committed_at DESC LIMIT 1
CALL demo.system.compute_partition_stats('db.f_t');
SELECT * FROM parquet.`${tmp}/f_t/metadata/partition-stats-${s3}-*.parquet`;
DELETE FROM demo.db.f_t WHERE dep = 'a';
-- @let s4 = SELECT snapshot_id FROM demo.db.f_t.snapshots ORDER BY committed_at DESC LIMIT 1
CALL demo.system.compute_partition_stats('db.f_t');
SELECT * FROM parquet.`${tmp}/f_t/metadata/partition-stats-${s4}-*.parquet`;
CALL demo.system.rewrite_data_files(table => 'db.f_t', options => map('rewrite-all', 'true'));
-- @let s5 = SELECT snapshot_id FROM demo.db.f_t.snapshots ORDER BY committed_at DESC LIMIT 1
CALL demo.system.compute_partition_stats('db.f_t');
SELECT * FROM parquet.`${tmp}/f_t/metadata/partition-stats-${s5}-*.parquet`;
SELECT partition, spec_id, record_count, file_count, total_data_file_size_in_bytes, position_delete_record_count, position_delete_file_count, equality_delete_record_count, equality_delete_file_count, last_updated_snapshot_id FROM demo.db.f_t.partitions;
CREATE TABLE demo.db.f_v3 (id INT, dep STRING) USING iceberg PARTITIONED BY (dep) LOCATION 'file:${tmp}/f_v3' TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='merge-on-read');
INSERT INTO demo.db.f_v3 VALUES (1, 'a'), (2, 'a'), (3, 'b');
DELETE FROM demo.db.f_v3 WHERE id = 1;
CALL demo.system.compute_partition_stats('db.f_v3');
SELECT * FROM parquet.`${tmp}/f_v3/metadata/partition-stats-*.parquet`;
DESCRIBE QUERY SELECT * FROM parquet.`${tmp}/f_v3/metadata/partition-stats-*.parquet`;
CREATE TABLE demo.db.f_v1 (id INT, dep STRING) USING iceberg PARTITIONED BY (dep, bucket(2, id)) LOCATION 'file:${tmp}/f_v1' TBLPROPERTIES ('format-version'='1');
INSERT INTO demo.db.f_v1 VALUES (1, 'a'), (2, 'a'), (3, 'b');
CALL demo.system.compute_partition_stats('db.f_v1');
SELECT * FROM parquet.`${tmp}/f_v1/metadata/partition-stats-*.parquet`;
ALTER TABLE demo.db.f_v1 DROP PARTITION FIELD dep;
INSERT INTO demo.db.f_v1 VALUES (4, 'd');
-- @let s6 = SELECT snapshot_id FROM demo.db.f_v1.snapshots ORDER BY committed_at DESC LIMIT 1
CALL demo.system.compute_partition_stats('db.f_v1');
SELECT * FROM parquet.`${tmp}/f_v1/metadata/partition-stats-${s6}-*.parquet`;
