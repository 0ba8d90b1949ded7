{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}
select * from {{ ref('orders') }}
{% if is_incremental() %} where day >= (select max(day) from {{ this }}) {% endif %}
