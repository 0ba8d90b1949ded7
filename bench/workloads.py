"""The statements that every engine runs: one text in Spark's dialect (Iceblink, Spark, Sail), one in DuckDB's."""

RUNS = 3
DAY = "TIMESTAMP '2026-10-0{} 00:00:00'"

SPARK = {
    "target": "CREATE TABLE {db}.{t} USING iceberg {options} AS SELECT id, concat('c-', id % 1000) customer, "
              "CAST(id % 97 * 1.25 AS DECIMAL(10,2)) total, TIMESTAMP '2026-10-01 00:00:00' + make_interval(0,0,0,0,0,0,id % 86400) placed "
              "FROM range(1000000)",
    "source": "CREATE OR REPLACE TEMPORARY VIEW src AS SELECT (id * 101) % 1000500 id, 'new' customer, CAST(1.0 AS DECIMAL(10,2)) total, "
              "TIMESTAMP '2026-10-02 00:00:00' placed FROM range(10000)",
    "merge": "MERGE INTO {db}.{t} t USING src s ON t.id = s.id WHEN MATCHED THEN UPDATE SET total = s.total WHEN NOT MATCHED THEN INSERT *",
    "load": "CREATE TABLE {db}.{t} USING iceberg PARTITIONED BY (days(ts)) AS SELECT id, concat('customer-', id % 10000) customer, "
            "concat('SKU-', lpad(CAST(id * 31 % 9000 AS STRING), 5, '0')) sku, CAST(1 + id % 4 AS INT) qty, "
            "CAST(id % 9700 * 0.25 AS DECIMAL(10,2)) amount, TIMESTAMP '2026-06-01 00:00:00' + "
            "make_dt_interval(CAST(id % 30 AS INT), CAST(id % 24 AS INT), CAST(id % 60 AS INT)) ts FROM range(5000000)",
    "aggregate": "SELECT sku, count(*), sum(amount) FROM {source} WHERE ts >= TIMESTAMP '2026-06-10 00:00:00' AND "
                 "ts < TIMESTAMP '2026-06-20 00:00:00' AND qty > 2 GROUP BY 1 ORDER BY 3 DESC LIMIT 10",
    "small": "CREATE TABLE {db}.{t} USING iceberg AS SELECT /*+ REPARTITION(200) */ id, concat('customer-', id % 100) c, id * 1.5 x FROM range(200000)",
}
MERGE_ON_READ = "TBLPROPERTIES ('write.merge.mode'='merge-on-read')"

DUCKDB = {
    "target": "select id, 'c-'||(id%1000) customer, (id%97*1.25)::decimal(10,2) total, "
              "timestamp '2026-10-01 00:00:00' + to_seconds(id%86400) placed from range(1000000) t(id)",
    "source": "select (id*101)%1000500 id, 'new' customer, 1.00::decimal(10,2) total, timestamp '2026-10-02 00:00:00' placed from range(10000) t(id)",
    "merge": "merge into {t} t using src s on t.id=s.id when matched then update set total=s.total "
             "when not matched then insert values (s.id,s.customer,s.total,s.placed)",
}
