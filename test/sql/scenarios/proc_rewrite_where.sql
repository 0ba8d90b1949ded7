-- rewrite procedures' where option; text files in place.
CREATE NAMESPACE demo.db;
CREATE TABLE demo.db.t (c1 INT, c2 STRING, c3 STRING) USING iceberg LOCATION 'file:${tmp}/src/t';
INSERT INTO demo.db.t SELECT /*+ COALESCE(1) */ 1, 'foo', null;
INSERT INTO demo.db.t SELECT /*+ COALESCE(1) */ 2, 'bar', null;
CALL demo.system.rewrite_data_files(table => 'db.t', where => '0=1', options => map('rewrite-all', 'true'));
CALL demo.system.rewrite_data_files(table => 'db.t', where => '1=1', options => map('rewrite-all', 'true'));
CALL demo.system.rewrite_data_files(table => 'db.t', where => 'false', options => map('rewrite-all', 'true'));
CALL demo.system.rewrite_data_files(table => 'db.t', where => 'true', options => map('rewrite-all', 'true'));
CALL demo.system.rewrite_data_files(table => 'db.t', where => 'c1', options => map('rewrite-all', 'true'));
CALL demo.system.rewrite_data_files(table => 'db.t', where => 'nosuch = 1', options => map('rewrite-all', 'true'));
CALL demo.system.rewrite_data_files(table => 'db.t', where => 'null', options => map('rewrite-all', 'true'));
CALL demo.system.rewrite_position_delete_files(table => 'db.t', where => 'nosuch = 1');
CALL demo.system.rewrite_table_path(table => 'db.t', source_prefix => 'file:${tmp}/src', target_prefix => 'file:${tmp}/dst', staging_location => 'file:${tmp}/stage/');
SELECT count(*) FROM text.`${tmp}/stage/file-list`;
SELECT substring_index(value, '/', -1) LIKE '%.avro' AS avro, count(*) FROM text.`${tmp}/stage/file-list` GROUP BY 1;
SELECT typeof(value) FROM text.`${tmp}/stage/file-list` LIMIT 1;
