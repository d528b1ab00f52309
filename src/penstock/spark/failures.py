"""Failures of Spark as our errors: the error that a task or a source raised, or the one relevant line.

Spark wraps a failure in the tracebacks of every process that it passed: they go to a file, which the line
names. Code that runs a job for a user uses `told`; programs with their own Spark session see Spark's
exceptions unchanged.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.plain_errors import ADVICE, PLACE, keep

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_MAX = 600
_OURS = re.compile(r"penstock\.model\.errors\.\w+: (\d{4}) \w+: (.+)")
_RAISED = re.compile(r"^[\s:]*(?:[\w.]+\.)?(\w+(?:Error|Exception|Exit|Interrupt)): (.+)$", re.MULTILINE)


@contextmanager
def told(reason: int = mq.PSRC_SPARK_JOB) -> Iterator[None]:
    """Raise Spark's failure as our error; `reason` is for failures that are not ours."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as failure:
        found = as_error(str(failure), reason)
        if PLACE.strip() in found.detail:
            raise found from failure  # written where the error was raised
        raise error(found.reason, f"{found.detail} {place_of(failure)}") from failure


def place_of(failure: BaseException) -> str:
    """Write the traceback of an error to a file; return where it is, for the end of a line."""
    return f"({PLACE.strip()} {keep(failure)})"


def as_error(text: str, reason: int = mq.PSRC_SPARK_JOB) -> MQError:
    """Return the error in a text of Spark.

    >>> as_error("penstock.model.errors.ObjectUnknown: 2085 MQRC_UNKNOWN_OBJECT_NAME: queue A").reason
    2085
    """
    ours = _OURS.findall(text)
    if ours:
        detail, _, place = ours[-1][1].partition(ADVICE)  # the code that shows our errors adds the advice
        _, _, file = place.partition(PLACE)
        return error(int(ours[-1][0]), f"{detail[:LINE_MAX]}{f' ({PLACE.strip()} {file})' if file else ''}")
    if text.lstrip().startswith("[") and "Traceback" not in text:  # a class of errors of Spark's own
        return error(reason, text.strip().splitlines()[0][:LINE_MAX])
    raised = _RAISED.findall(text)
    lines = text.strip().splitlines() or ["it says nothing"]
    return error(reason, ": ".join(raised[0] if raised else lines[:1])[:LINE_MAX])
