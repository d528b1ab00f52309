"""What Spark failed with, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark.failures import as_error, told

OURS = """[STREAM_FAILED] Query [id = 1] terminated with exception: Traceback (most recent call last):
  File "place.py", line 3, in do
penstock.model.errors.ObjectUnknown: 2085 MQRC_UNKNOWN_OBJECT_NAME: queue NOBODY is not defined
 SQLSTATE: XXKST"""
RAISED = """An exception was thrown from the Python worker: Traceback (most recent call last):
  File "work.py", line 3, in work
ZeroDivisionError: division by zero
"""
SPARKS = "[PATH_NOT_FOUND] Path does not exist: file:/nowhere. SQLSTATE: 42K03;\nsomewhere in a plan"
JAVAS = """An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.
: org.apache.spark.SparkException: Could not parse Master URL: 'odd'
\tat org.apache.spark.SparkContext$.createTaskScheduler(SparkContext.scala:3221)"""


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        (OURS, 2085, "queue NOBODY is not defined"),
        (RAISED, 8408, "ZeroDivisionError: division by zero"),
        (SPARKS, 8408, "[PATH_NOT_FOUND] Path does not exist: file:/nowhere. SQLSTATE: 42K03;"),
        (JAVAS, 8408, "SparkException: Could not parse Master URL: 'odd'"),
        ("", 8408, "it says nothing"),
    ],
)
def test_the_line_that_tells_is_found(text: str, reason: int, detail: str) -> None:
    found = as_error(text)

    assert (found.reason, found.detail) == (reason, detail)


def test_the_line_names_the_file_with_the_traceback(penstock_home: Path) -> None:
    errors = pytest.importorskip("pyspark.errors", reason="the extra spark is not installed")
    (penstock_home / ".spark").mkdir(parents=True)

    with pytest.raises(MQError) as caught, told():
        raise errors.PySparkException(RAISED)

    line, _, place = caught.value.detail.rpartition(" (Traceback: ")
    assert line == "ZeroDivisionError: division by zero"
    assert 'File "work.py", line 3, in work' in Path(place.rstrip(")")).read_text()


def test_what_is_no_failure_of_spark_passes() -> None:
    with pytest.raises(ValueError, match="mine"), told():
        raise ValueError("mine")
