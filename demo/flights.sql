-- The flights story: load 336,776 real flights, correct them, stage a bad batch on a branch and catch it, publish a good
-- one, compact, expire, and travel back in time. Run by `make demo`; ${data} is the folder of the CSV files.

-- 1. Load: one INSERT for each airport, so that every month starts with three files.
CREATE NAMESPACE IF NOT EXISTS nyc;
DROP TABLE IF EXISTS nyc.flights;
CREATE OR REPLACE TEMPORARY VIEW flights_csv USING csv
OPTIONS (path '${data}/flights.csv', header 'true', nullValue 'NA');
CREATE TABLE nyc.flights (
  month INT, day INT, dep_time INT, dep_delay INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING,
  origin STRING, dest STRING, air_time INT, distance INT, scheduled TIMESTAMP, status STRING)
USING iceberg PARTITIONED BY (month);
CREATE OR REPLACE TEMPORARY VIEW typed AS
SELECT CAST(month AS INT) AS month, CAST(day AS INT) AS day, CAST(dep_time AS INT) AS dep_time,
       CAST(dep_delay AS INT) AS dep_delay, CAST(arr_delay AS INT) AS arr_delay, carrier, CAST(flight AS INT) AS flight,
       tailnum, origin, dest, CAST(air_time AS INT) AS air_time, CAST(distance AS INT) AS distance,
       CAST(time_hour AS TIMESTAMP) AS scheduled, CAST(NULL AS STRING) AS status
FROM flights_csv;
INSERT INTO nyc.flights SELECT * FROM typed WHERE origin = 'EWR';
INSERT INTO nyc.flights SELECT * FROM typed WHERE origin = 'JFK';
INSERT INTO nyc.flights SELECT * FROM typed WHERE origin = 'LGA';
ALTER TABLE nyc.flights CREATE TAG as_loaded;
SELECT count(*) AS flights, count(DISTINCT dest) AS destinations, sum(distance) AS miles FROM nyc.flights;

-- 2. Correct with one MERGE: flights of January that never left are cancelled, a ferry flight is struck, one is missing.
CREATE OR REPLACE TEMPORARY VIEW corrections AS
SELECT carrier, flight, origin, scheduled, 'cancelled' AS status FROM nyc.flights WHERE month = 1 AND dep_time IS NULL
UNION ALL SELECT 'US', 1632, 'EWR', TIMESTAMP '2013-07-27 05:00:00', 'ferry'
UNION ALL SELECT 'ZZ', 1, 'JFK', TIMESTAMP '2013-12-31 23:00:00', 'late report';
MERGE INTO nyc.flights t USING corrections s
ON t.carrier = s.carrier AND t.flight = s.flight AND t.origin = s.origin AND t.scheduled = s.scheduled
WHEN MATCHED AND s.status = 'ferry' THEN DELETE
WHEN MATCHED THEN UPDATE SET t.status = s.status
WHEN NOT MATCHED THEN INSERT (month, day, carrier, flight, origin, scheduled, status)
  VALUES (12, 31, s.carrier, s.flight, s.origin, s.scheduled, s.status);
ALTER TABLE nyc.flights CREATE TAG corrected;
SELECT status, count(*) AS flights FROM nyc.flights WHERE status IS NOT NULL GROUP BY status ORDER BY status;

-- 3. Write, audit: a bad batch lands on a branch, the audit catches it, main never sees it.
ALTER TABLE nyc.flights SET TBLPROPERTIES ('write.wap.enabled' = 'true');
SET spark.wap.branch = bad_batch;
INSERT INTO nyc.flights SELECT month, day, dep_time, dep_delay, arr_delay, carrier, flight, tailnum, origin, dest,
  air_time, -distance, scheduled, 'replayed' FROM nyc.flights WHERE month = 2 AND day = 1;
SELECT count_if(distance < 0) AS negative_distances FROM nyc.flights;
RESET spark.wap.branch;
SELECT count_if(distance < 0) AS negative_distances_on_main FROM nyc.flights;

-- 4. Publish: the good batch passes the audit and main moves to it in one step.
SET spark.wap.branch = january_2014;
INSERT INTO nyc.flights SELECT 1 AS month, day, dep_time, dep_delay, arr_delay, carrier, flight, tailnum, origin, dest,
  air_time, distance, scheduled + INTERVAL 365 DAYS, 'schedule 2014' FROM nyc.flights WHERE month = 1 AND day = 1;
SELECT count_if(distance < 0) AS negative_distances FROM nyc.flights;
RESET spark.wap.branch;
CALL system.fast_forward('nyc.flights', 'main', 'january_2014');
ALTER TABLE nyc.flights DROP BRANCH january_2014;
ALTER TABLE nyc.flights CREATE TAG published;

-- 5. Maintain: compact the small files, drop what only the bad batch and old heads held.
CALL system.rewrite_data_files(table => 'nyc.flights', options => map('min-input-files', '2'));
ALTER TABLE nyc.flights CREATE TAG compacted;
ALTER TABLE nyc.flights DROP BRANCH bad_batch;
CALL system.expire_snapshots(table => 'nyc.flights', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1);
SELECT operation, summary['added-records'] AS added, summary['deleted-records'] AS deleted,
       summary['total-records'] AS rows, summary['total-data-files'] AS files
FROM nyc.flights.snapshots ORDER BY committed_at;
SELECT name, type FROM nyc.flights.refs ORDER BY name;
