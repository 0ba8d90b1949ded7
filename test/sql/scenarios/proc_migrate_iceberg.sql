-- migrate with a session catalog of Iceberg's
-- @catalog demo jdbc
-- @catalog spark_catalog hadoop
CREATE NAMESPACE demo.db;
CREATE TABLE demo.db.t (id INT) USING iceberg;
CREATE TABLE spark_catalog.default.ice (id INT) USING iceberg;
CALL spark_catalog.system.migrate('default.ice');
CALL spark_catalog.system.migrate('spark_catalog.default.ice');
CALL spark_catalog.system.migrate('ice');
CALL spark_catalog.system.migrate('default.nosuch');
CALL spark_catalog.system.migrate('nosuch.nosuch');
CALL spark_catalog.system.migrate('');
CALL spark_catalog.system.migrate(table => 'default.ice', parallelism => 0);
CALL spark_catalog.system.migrate('demo.db.t');
CALL demo.system.migrate('db.t');
CALL demo.system.migrate('demo.db.t');
CALL demo.system.migrate('spark_catalog.default.ice');
CALL demo.system.migrate('default.ice');
CALL demo.system.migrate(table => 'spark_catalog.default.ice', parallelism => 0);
