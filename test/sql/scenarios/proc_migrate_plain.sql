-- migrate without a session catalog of Iceberg's
CREATE NAMESPACE demo.db;
CREATE TABLE demo.db.t (id INT) USING iceberg;
CREATE TABLE spark_catalog.default.src (id INT) USING parquet;
CALL demo.system.migrate('spark_catalog.default.src');
CALL demo.system.migrate('default.src');
CALL demo.system.migrate('db.t');
CALL demo.system.migrate('demo.db.t');
CALL demo.system.migrate('demo.db.nosuch');
CALL demo.system.migrate('');
CALL demo.system.migrate();
CALL demo.system.migrate(table => 'db.t', parallelism => 0);
CALL demo.system.migrate(table => 'db.t', drop_backup => true, backup_table_name => 'x', properties => map('a', 'b'));
