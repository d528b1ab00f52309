"""A session that runs: one a process, silent, with the format "penstock" known to it."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.spark.starting.session import session
from tests.spark import HOME, marks

pytestmark = marks


def test_the_second_call_gives_the_same_session(spark: Any) -> None:
    assert session("local[2]", home=HOME) is spark


def test_another_master_is_refused(spark: Any) -> None:
    with pytest.raises(MQError) as caught:
        session("local[1]", home=HOME)

    assert caught.value.reason == 8403


def test_nothing_is_written_to_the_console(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    spark.range(3).mapInArrow(lambda batches: batches, "id long").count()

    assert capfd.readouterr() == ("", "")


def test_the_log_goes_to_a_file(spark: Any) -> None:
    assert list((HOME / ".spark" / "logs").glob("driver-*.log"))


def test_spark_finds_the_format_by_itself(spark: Any) -> None:
    import pyspark_penstock

    assert pyspark_penstock.DefaultSource.name() == "penstock"
