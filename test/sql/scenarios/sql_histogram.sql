-- histogram_numeric: bins by type, errors.
CREATE NAMESPACE demo.db;
CREATE TABLE demo.db.e (id INT, at TIMESTAMP, wall TIMESTAMP_NTZ, v DOUBLE) USING iceberg;
INSERT INTO demo.db.e SELECT /*+ COALESCE(1) */ * FROM VALUES (1, TIMESTAMP'2024-01-01 00:03:00', TIMESTAMP_NTZ'2024-01-01 00:03:00', 1.0), (2, TIMESTAMP'2024-01-01 00:07:30', TIMESTAMP_NTZ'2024-01-01 00:07:30', 2.5), (3, TIMESTAMP'2024-01-01 00:12:00', TIMESTAMP_NTZ'2024-01-01 00:12:00', 4.0), (4, null, null, 7.0), (5, TIMESTAMP'1969-12-31 23:58:00', TIMESTAMP_NTZ'1969-12-31 23:58:00', 9.0);
SELECT histogram_numeric(v, 3) FROM demo.db.e;
SELECT histogram_numeric(id, 2) FROM demo.db.e;
SELECT histogram_numeric(id * id % 37, 7) FROM range(0, 500, 1, 1);
SELECT histogram_numeric(date_add(DATE'2024-01-01', CAST(id AS INT)), 3) FROM range(0, 50, 1, 1);
SELECT histogram_numeric(v, 10) FROM demo.db.e;
SELECT id % 2, histogram_numeric(v, 2) FROM demo.db.e GROUP BY id % 2 ORDER BY 1;
SELECT histogram_numeric(at, 2) FROM demo.db.e;
SELECT histogram_numeric(v, 1) FROM demo.db.e;
SELECT histogram_numeric(v, id) FROM demo.db.e;
SELECT histogram_numeric(CAST(null AS INT), 3), histogram_numeric(v, 3) FROM demo.db.e WHERE false;
SELECT histogram_numeric(col, 5) FROM VALUES (0), (1), (2), (10) AS tab(col);
SELECT histogram_numeric(id, 5) FROM range(0, 100, 1, 1);
SELECT typeof(histogram_numeric(CAST(v AS DECIMAL(5,2)), 3)) FROM demo.db.e;
