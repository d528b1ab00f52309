"""The command line of the driver JVM: what Spark's settings say of the JVM itself has to be on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark.starting.java import Java
from penstock.spark.starting.launcher import command

pytest.importorskip("pyspark", reason="the extra spark is not installed")
MAIN = "org.apache.spark.deploy.SparkSubmit"


def words(tmp_path: Path, **settings: str) -> list[str]:
    java = Java(tmp_path / "java", "17.0.1")
    named = {f"spark.driver.{name}": value for name, value in settings.items()}
    return command(java, named, tmp_path, tmp_path / "log4j2.properties")


def test_options_of_the_jvm_come_before_its_class(tmp_path: Path) -> None:
    found = words(tmp_path, defaultJavaOptions="-XX:+UseSerialGC", extraJavaOptions="-Da='b c' -Dd=e")

    options = found[: found.index(MAIN)]
    assert options[-3:] == ["-XX:+UseSerialGC", "-Da=b c", "-Dd=e"]


def test_classes_of_the_user_come_first(tmp_path: Path) -> None:
    found = words(tmp_path, extraClassPath="/opt/driver.jar")

    assert found[found.index("-cp") + 1].startswith("/opt/driver.jar:")


def test_options_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(MQError, match="extraJavaOptions cannot be read") as caught:
        words(tmp_path, extraJavaOptions="-Da='b")
    assert caught.value.reason == 8404
