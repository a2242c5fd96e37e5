"""A local server that speaks S3, with a bucket: what `s3://` addresses reach in tests."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def object_server() -> Iterator[str]:
    """The address of an empty bucket, which this process and its children reach as S3."""
    import boto3
    import s3fs
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    environment = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            boto3.client("s3").create_bucket(Bucket="units")
            # of another server, which had the same address a moment ago
            s3fs.S3FileSystem.clear_instance_cache()
            yield "s3://units"
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()
