{{ config(materialized='table', partition_by=['day']) }}
select id, status, cast(amount as double) as amount, cast(day as date) as day from {{ ref('raw_orders') }}
