"""Offsets and marks, and whose they are."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from penstock.model.errors import MQError
from penstock.spark.format.source import flow_of, whole_number
from penstock.spark.runs.reservation import Mark, number, offset


def test_an_offset_says_its_number() -> None:
    assert number(json.loads(json.dumps(offset(7, "orders", "QM1_x"))), "orders", "QM1_x") == 7


@pytest.mark.parametrize(
    "foreign",
    [
        offset(7, "others", "QM1_x"),
        offset(7, "orders", "QM2_y"),
        {"v": 2, "n": 7, "flow": "orders", "qmid": "QM1_x"},
        {"v": 1, "n": "7", "flow": "orders", "qmid": "QM1_x"},
        {"seq": 7},
        {},
    ],
)
def test_a_foreign_offset_is_refused(foreign: dict[str, object]) -> None:
    with pytest.raises(MQError) as caught:
        number(foreign, "orders", "QM1_x")

    assert caught.value.reason == 8033


def test_a_mark_is_a_text() -> None:
    mark = Mark("orders", "QM1_x", 3, 9, 2)

    assert Mark.of(mark.text()) == mark


@pytest.mark.parametrize(
    ("options", "flow"),
    [
        ({"queue": "ORDERS"}, "spark/ORDERS"),
        ({"queue": "ORDERS", "flow": "mine"}, "mine"),
        ({"topic": "a/b"}, "spark/a/b"),
        ({"topic": "a/b", "subscription": "s1"}, "spark/s1"),
    ],
)
def test_a_stream_has_a_flow(options: dict[str, str], flow: str) -> None:
    assert flow_of(options) == flow


@pytest.mark.parametrize(
    "options", [{}, {"queue": "A", "topic": "b"}, {"flow": "mine"}, {"queue": "A", "selector": "x > 1"}]
)
def test_a_stream_has_one_source_and_all_of_it(options: dict[str, str]) -> None:
    with pytest.raises(MQError) as caught:
        flow_of(options)

    assert caught.value.reason == 8405


@pytest.mark.parametrize(
    "text", ["-1", "many", "1.5", "", "²", "9" * 19, pytest.param("9" * 5000, id="5000 digits")]
)
def test_a_number_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(MQError) as caught:
        whole_number({"maxRows": text}, "maxRows", 1)

    assert caught.value.reason == 8405
