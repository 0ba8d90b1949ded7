"""The S3 Tables control plane as boto3 sees it."""
import pytest
from botocore.exceptions import ClientError

from conftest import remove_bucket


def failure(call, **arguments):
    """(error code, HTTP status) of a call that fails."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    response = caught.value.response
    return response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"]


@pytest.fixture
def bucket(tables, request):
    name = "b-" + request.node.name.replace("_", "-")[:40].lower().rstrip("-")
    arn = tables.create_table_bucket(name=name)["arn"]
    yield arn
    remove_bucket(tables, arn)


def test_buckets(tables, bucket):
    name = bucket.split("/")[-1]
    assert bucket == f"arn:aws:s3tables:us-east-1:000000000000:bucket/{name}"
    described = tables.get_table_bucket(tableBucketARN=bucket)
    assert described["name"] == name and described["type"] == "customer" and described["createdAt"].year >= 2024
    assert name in [b["name"] for b in tables.list_table_buckets()["tableBuckets"]]
    assert tables.list_table_buckets(prefix="zzz")["tableBuckets"] == []
    assert failure(tables.create_table_bucket, name=name) == ("ConflictException", 409)
    assert failure(tables.create_table_bucket, name="sthree-x") == ("BadRequestException", 400)
    missing = bucket + "-not"
    assert failure(tables.get_table_bucket, tableBucketARN=missing) == ("NotFoundException", 404)


def test_pages(tables):
    made = [tables.create_table_bucket(name=f"page-{i}")["arn"] for i in range(5)]
    pages = tables.get_paginator("list_table_buckets").paginate(prefix="page-", PaginationConfig={"PageSize": 2})
    sizes = [[b["name"] for b in page["tableBuckets"]] for page in pages]
    assert [len(s) for s in sizes] == [2, 2, 1] and sum(sizes, []) == [f"page-{i}" for i in range(5)]
    for arn in made:
        tables.delete_table_bucket(tableBucketARN=arn)


def test_namespaces(tables, bucket):
    tables.create_namespace(tableBucketARN=bucket, namespace=["sales"])
    assert tables.get_namespace(tableBucketARN=bucket, namespace="sales")["namespace"] == ["sales"]
    assert failure(tables.create_namespace, tableBucketARN=bucket, namespace=["sales"]) == ("ConflictException", 409)
    assert failure(tables.create_namespace, tableBucketARN=bucket, namespace=["Bad-Name"]) == ("BadRequestException", 400)
    assert failure(tables.delete_table_bucket, tableBucketARN=bucket) == ("ConflictException", 409)
    assert failure(tables.get_namespace, tableBucketARN=bucket, namespace="no") == ("NotFoundException", 404)


def test_tables(tables, bucket, s3):
    tables.create_namespace(tableBucketARN=bucket, namespace=["sales"])
    where = dict(tableBucketARN=bucket, namespace="sales", name="orders")
    fields = [{"name": "id", "type": "long", "required": True}, {"name": "at", "type": "timestamp"}]
    made = tables.create_table(
        **where,
        format="ICEBERG",
        metadata={"iceberg": {"schema": {"fields": fields}, "partitionSpec": {"fields": [{"sourceId": 2, "transform": "day", "name": "at_day"}]}, "properties": {"owner": "x"}}},
    )
    table = tables.get_table(**where)
    assert table["tableARN"] == made["tableARN"] and table["versionToken"] == made["versionToken"]
    assert tables.get_table(tableArn=made["tableARN"])["name"] == "orders"
    location = table["metadataLocation"]
    assert location.startswith(table["warehouseLocation"] + "/metadata/00000-")
    key = location.removeprefix("s3://warehouse/")
    assert b'"at_day"' in s3.get_object(Bucket="warehouse", Key=key)["Body"].read()
    assert failure(tables.create_table, **where, format="ICEBERG") == ("ConflictException", 409)
    assert failure(tables.delete_namespace, tableBucketARN=bucket, namespace="sales") == ("ConflictException", 409)
    listed = tables.list_tables(tableBucketARN=bucket, namespace="sales", prefix="ord")["tables"]
    assert [t["name"] for t in listed] == ["orders"]
    assert failure(tables.delete_table, **where, versionToken="stale") == ("ConflictException", 409)
    tables.delete_table(**where)
    assert failure(tables.get_table, **where) == ("NotFoundException", 404)
    prefix = table["warehouseLocation"].removeprefix("s3://warehouse/")
    assert s3.list_objects_v2(Bucket="warehouse", Prefix=prefix)["KeyCount"] == 0


def test_metadata_location_is_compared_and_swapped(tables, bucket):
    tables.create_namespace(tableBucketARN=bucket, namespace=["n"])
    where = dict(tableBucketARN=bucket, namespace="n", name="t")
    token = tables.create_table(**where, format="ICEBERG")["versionToken"]
    start = tables.get_table_metadata_location(**where)
    assert start["versionToken"] == token and "metadataLocation" not in start
    new = start["warehouseLocation"] + "/metadata/00000-x.metadata.json"
    updated = tables.update_table_metadata_location(**where, versionToken=token, metadataLocation=new)
    assert updated["metadataLocation"] == new and updated["versionToken"] != token
    stale = dict(where, versionToken=token, metadataLocation=new)
    assert failure(tables.update_table_metadata_location, **stale) == ("ConflictException", 409)
    elsewhere = dict(where, versionToken=updated["versionToken"], metadataLocation="s3://other/metadata/v1.metadata.json")
    assert failure(tables.update_table_metadata_location, **elsewhere) == ("BadRequestException", 400)


def test_rename(tables, bucket):
    for namespace in ("a", "b"):
        tables.create_namespace(tableBucketARN=bucket, namespace=[namespace])
    tables.create_table(tableBucketARN=bucket, namespace="a", name="t", format="ICEBERG")
    tables.create_table(tableBucketARN=bucket, namespace="b", name="taken", format="ICEBERG")
    where = dict(tableBucketARN=bucket, namespace="a", name="t")
    assert failure(tables.rename_table, **where) == ("BadRequestException", 400)
    assert failure(tables.rename_table, **where, newNamespaceName="b", newName="taken") == ("ConflictException", 409)
    assert failure(tables.rename_table, **where, newNamespaceName="c") == ("NotFoundException", 404)
    tables.rename_table(**where, newNamespaceName="b", newName="u")
    assert tables.get_table(tableBucketARN=bucket, namespace="b", name="u")["namespace"] == ["b"]


def test_settings(tables, bucket):
    tables.create_namespace(tableBucketARN=bucket, namespace=["n"])
    made = tables.create_table(tableBucketARN=bucket, namespace="n", name="t", format="ICEBERG", tags={"team": "data"})
    table = dict(tableBucketARN=bucket, namespace="n", name="t")
    assert tables.get_table_bucket_encryption(tableBucketARN=bucket)["encryptionConfiguration"] == {"sseAlgorithm": "AES256"}
    kms = {"sseAlgorithm": "aws:kms", "kmsKeyArn": "arn:aws:kms:us-east-1:000000000000:key/k"}
    tables.put_table_bucket_encryption(tableBucketARN=bucket, encryptionConfiguration=kms)
    assert tables.get_table_bucket_encryption(tableBucketARN=bucket)["encryptionConfiguration"] == kms
    tables.delete_table_bucket_encryption(tableBucketARN=bucket)
    assert tables.get_table_encryption(**table)["encryptionConfiguration"]["sseAlgorithm"] == "AES256"

    assert failure(tables.get_table_bucket_policy, tableBucketARN=bucket) == ("NotFoundException", 404)
    tables.put_table_bucket_policy(tableBucketARN=bucket, resourcePolicy='{"Version":"2012-10-17"}')
    assert tables.get_table_bucket_policy(tableBucketARN=bucket)["resourcePolicy"] == '{"Version":"2012-10-17"}'
    tables.delete_table_bucket_policy(tableBucketARN=bucket)
    tables.put_table_policy(**table, resourcePolicy="{}")
    assert tables.get_table_policy(**table)["resourcePolicy"] == "{}"

    removal = tables.get_table_bucket_maintenance_configuration(tableBucketARN=bucket)["configuration"]
    assert removal["icebergUnreferencedFileRemoval"]["settings"]["icebergUnreferencedFileRemoval"]["unreferencedDays"] == 3
    tables.put_table_maintenance_configuration(
        **table, type="icebergCompaction", value={"status": "enabled", "settings": {"icebergCompaction": {"targetFileSizeMB": 64}}}
    )
    tables.put_table_maintenance_configuration(**table, type="icebergSnapshotManagement", value={"status": "disabled"})
    maintenance = tables.get_table_maintenance_configuration(**table)["configuration"]
    assert maintenance["icebergCompaction"]["settings"]["icebergCompaction"]["targetFileSizeMB"] == 64
    assert maintenance["icebergSnapshotManagement"]["status"] == "disabled"
    status = tables.get_table_maintenance_job_status(**table)["status"]
    assert {job: s["status"] for job, s in status.items()} == {
        "icebergCompaction": "Not_Yet_Run", "icebergSnapshotManagement": "Disabled", "icebergUnreferencedFileRemoval": "Not_Yet_Run"}

    arn = made["tableARN"]
    tables.tag_resource(resourceArn=arn, tags={"cost": "42"})
    assert tables.list_tags_for_resource(resourceArn=arn)["tags"] == {"team": "data", "cost": "42"}
    tables.untag_resource(resourceArn=arn, tagKeys=["team", "none"])
    assert tables.list_tags_for_resource(resourceArn=arn)["tags"] == {"cost": "42"}

    assert tables.get_table_record_expiration_configuration(tableArn=arn)["configuration"]["status"] == "disabled"
    tables.put_table_record_expiration_configuration(tableArn=arn, value={"status": "enabled", "settings": {"days": 30}})
    assert tables.get_table_record_expiration_configuration(tableArn=arn)["configuration"]["settings"]["days"] == 30
    assert tables.get_table_record_expiration_job_status(tableArn=arn)["status"] == "NotYetRun"
    assert failure(tables.get_table_bucket_metrics_configuration, tableBucketARN=bucket) == ("NotFoundException", 404)
    tables.put_table_bucket_metrics_configuration(tableBucketARN=bucket)
    assert tables.get_table_bucket_metrics_configuration(tableBucketARN=bucket)["tableBucketARN"] == bucket
    assert tables.get_table_bucket_storage_class(tableBucketARN=bucket)["storageClassConfiguration"] == {"storageClass": "STANDARD"}


def test_signatures_are_checked(server):
    assert failure(server.client(secret_key="wrong").list_table_buckets) == ("InvalidSignatureException", 403)
    assert failure(server.client(access_key="NOBODY").list_table_buckets) == ("UnrecognizedClientException", 403)
    import urllib.error
    import urllib.request

    for path in ("/buckets", "/iceberg/v1/config?warehouse=x"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(server.http + path)
        assert caught.value.code in (401, 403)
