"""Fixtures of all tests on Spark."""

from tests.conformance.spark.clusters import cluster, connect_server, real_java

__all__ = ["cluster", "connect_server", "real_java"]
