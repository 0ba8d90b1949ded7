{{ config(materialized='view') }}
select day, count(*) as orders, sum(amount) as revenue from {{ ref('orders') }} group by day
