-- What must be true after flights.sql: one row a check. `make demo` fails unless every `ok` is true.
SELECT check, expected, found, expected = found AS ok FROM (
  SELECT 1 AS n, 'flights as loaded' AS check, 336776 AS expected, (SELECT count(*) FROM nyc.flights VERSION AS OF 'as_loaded') AS found
  UNION ALL SELECT 2, 'flights after the corrections', 336776,
    (SELECT count(*) FROM nyc.flights VERSION AS OF 'corrected')
  UNION ALL SELECT 3, 'cancelled flights of January', 521,
    (SELECT count(*) FROM nyc.flights VERSION AS OF 'corrected' WHERE status = 'cancelled')
  UNION ALL SELECT 4, 'cancelled flights before the corrections', 0,
    (SELECT count(*) FROM nyc.flights VERSION AS OF 'as_loaded' WHERE status = 'cancelled')
  UNION ALL SELECT 5, 'ferry flight struck', 0,
    (SELECT count(*) FROM nyc.flights WHERE carrier = 'US' AND flight = 1632 AND month = 7 AND day = 27)
  UNION ALL SELECT 6, 'rows of the bad batch on main', 0, (SELECT count(*) FROM nyc.flights WHERE status = 'replayed')
  UNION ALL SELECT 7, 'rows of the good batch on main', 842,
    (SELECT count(*) FROM nyc.flights WHERE status = 'schedule 2014')
  UNION ALL SELECT 8, 'flights published', 337618, (SELECT count(*) FROM nyc.flights)
  UNION ALL SELECT 9, 'rows unchanged by compaction', (SELECT sum(distance) FROM nyc.flights VERSION AS OF 'published'),
    (SELECT sum(distance) FROM nyc.flights VERSION AS OF 'compacted')
  UNION ALL SELECT 10, 'data files after compaction', 12, (SELECT count(*) FROM nyc.flights.data_files)
  UNION ALL SELECT 11, 'data files before compaction are more', 1,
    (SELECT CASE WHEN count(*) > 12 THEN 1 ELSE 0 END FROM nyc.flights.data_files VERSION AS OF 'published')
  UNION ALL SELECT 12, 'refs left', 5, (SELECT count(*) FROM nyc.flights.refs)
  UNION ALL SELECT 13, 'snapshots left', 4, (SELECT count(*) FROM nyc.flights.snapshots)
  UNION ALL SELECT 14, 'append snapshots of 842 records', 1,
    (SELECT count(*) FROM nyc.flights.snapshots WHERE operation = 'append' AND summary['added-records'] = '842')
  UNION ALL SELECT 15, 'overwrite snapshots', 1,
    (SELECT count(*) FROM nyc.flights.snapshots WHERE operation = 'overwrite')
  UNION ALL SELECT 16, 'replace snapshots', 1, (SELECT count(*) FROM nyc.flights.snapshots WHERE operation = 'replace')
) ORDER BY n;
