-- rewrite_table_path: counts, file lists, versions, errors.
CREATE NAMESPACE demo.db;
CREATE TABLE demo.db.t (id INT, dep STRING) USING iceberg PARTITIONED BY (dep) LOCATION 'file:${tmp}/src/t' TBLPROPERTIES ('write.delete.mode'='merge-on-read');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', staging_location => 'file:${tmp}/stage0/');
INSERT INTO demo.db.t VALUES (1, 'a'), (2, 'a'), (3, 'b');
INSERT INTO demo.db.t VALUES (4, 'a');
DELETE FROM demo.db.t WHERE id = 1;
-- @let v1 = SELECT substring_index(file, '/', -1) FROM demo.db.t.metadata_log_entries ORDER BY timestamp LIMIT 1
-- @let v2 = SELECT substring_index(file, '/', -1) FROM demo.db.t.metadata_log_entries ORDER BY timestamp DESC LIMIT 1
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', staging_location => 'file:${tmp}/stage1/');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src/', target_prefix => 'file:${tmp}/dst/', staging_location => 'file:${tmp}/stage2');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', staging_location => 'file:${tmp}/stage3/', create_file_list => false);
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', staging_location => 'file:${tmp}/stage4/', start_version => '${v1}', end_version => '${v2}');
SELECT split(_c0, '/')[size(split(_c0, '/')) - 2], split(_c1, '/')[size(split(_c1, '/')) - 2] FROM csv.`${tmp}/stage1/file-list`;
SELECT * FROM csv.`${tmp}/stage1/file-list`;
SELECT * FROM csv.`${tmp}/stage2/file-list`;
SELECT * FROM csv.`${tmp}/stage4/file-list`;
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/nope', target_prefix => 'file:${tmp}/dst');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => '', target_prefix => 'file:${tmp}/dst');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => '');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/src');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', start_version => 'nosuch.metadata.json');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', end_version => 'nosuch.metadata.json');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', start_version => '');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', start_version => '${v2}', end_version => '${v1}', staging_location => 'file:${tmp}/stage5/');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', start_version => '${v2}', end_version => '${v2}', staging_location => 'file:${tmp}/stage6/');
CALL demo.system.rewrite_table_path(table => 'db.nosuch', source_prefix => 'a', target_prefix => 'b');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src');
CREATE TABLE demo.db.v3 (id INT) USING iceberg LOCATION 'file:${tmp}/src/v3' TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='merge-on-read', 'write.data.path'='file:${tmp}/src/v3/dat');
INSERT INTO demo.db.v3 SELECT CAST(id AS INT) FROM range(0, 10, 1, 1);
DELETE FROM demo.db.v3 WHERE id = 1;
CALL demo.system.compute_table_stats('db.v3');
CALL demo.system.rewrite_table_path(table => 'db.v3', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', staging_location => 'file:${tmp}/stage7/');
SELECT * FROM csv.`${tmp}/stage7/file-list`;
