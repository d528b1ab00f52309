"""The options of a table survive in a comment of its schema, whatever characters they have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.spark.format.table_options import found_options, keep_options, own_options

GIVEN = {"url": "mq://h:1/QM1?channel=A", "queue": "ORDERS", "selector": "name = 'O\\'Neil' AND n < 3"}
OF_SPARK = {"owner": "me", "provider": "penstock", "option.url": "again", "comment": "of the table"}


def schema_of(columns: str) -> Any:
    """Return what Spark makes of the columns: the comment as it is between its quotes."""
    text = columns.partition(" COMMENT '")[2].rpartition("'")[0]
    unquoted = text.replace("\\'", "'").replace("\\\\", "\\")
    return SimpleNamespace(fields=[SimpleNamespace(metadata={"comment": unquoted})])


def test_options_are_found_again() -> None:
    columns = keep_options("body binary, msg_id binary", {**GIVEN, **OF_SPARK})

    assert columns.startswith("body binary COMMENT '")
    assert columns.endswith(", msg_id binary")
    assert dict(found_options({}, schema_of(columns))) == GIVEN
    assert found_options({"queue": "OTHER"}, schema_of(columns))["queue"] == "OTHER"


def test_options_of_a_load_are_left_alone() -> None:
    assert own_options({"comment": "x", "url": "QM1"}) == {"comment": "x", "url": "QM1"}


def test_no_options_anywhere_are_refused() -> None:
    with pytest.raises(MQError, match="without a list of columns"):
        found_options({}, SimpleNamespace(fields=[SimpleNamespace(metadata={})]))
