"""UUIDs, Base64, SLEEP, SQLCODE and its kin; and that every entry of the table can be called."""

from __future__ import annotations

import importlib
import inspect

import pytest

from penstock.esql.runtime.functions import BARE, FUNCTIONS
from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import Stand, evaluate

FIVE = "00000000-0000-0000-0000-000000000005"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("UUIDASCHAR", FIVE),
        ("UUIDASCHAR()", FIVE),
        ("UUIDASBLOB", bytes(15) + b"\5"),
        (f"UUIDASBLOB('{FIVE}')", bytes(15) + b"\5"),
        ("UUIDASCHAR(X'00000000000000000000000000000005')", FIVE),
        ("UUIDASCHAR(NULL)", None),
        ("BASE64ENCODE(X'0102FF')", "AQL/"),
        ("BASE64ENCODE('é')", "w6k="),
        ("BASE64DECODE('AQL/')", b"\x01\x02\xff"),
        ("BASE64DECODE('AQ\nL/')", b"\x01\x02\xff"),
        ("BASE64DECODE(NULL)", None),
        ("SQLCODE", 0),
        ("SQLSTATE", "00000"),
        ("SQLNATIVEERROR", 0),
        ("SQLERRORTEXT", ""),
    ],
)
def test_function(said: str, expected: object) -> None:
    assert evaluate(said) == expected


@pytest.mark.parametrize(
    "case", ["UUIDASBLOB('x')", "UUIDASCHAR(X'01')", "BASE64DECODE('A')", "BASE64DECODE('!!!!')"]
)
def test_function_refuses(case: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(case)
    assert raised.value.fields["sqlstate"] == "S22018"


def test_sleep_takes_milliseconds() -> None:
    ctx = Stand()
    assert evaluate("SLEEP(1500)", ctx) is True
    assert ctx.slept == [1.5]
    with pytest.raises(MQError):
        evaluate("SLEEP(-1)", ctx)


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *BARE}))
def test_every_entry_of_the_table_is_a_function_that_takes_its_arguments(name: str) -> None:
    entry = FUNCTIONS.get(name) or BARE[name]
    found = getattr(importlib.import_module(f"penstock.esql.runtime.{entry.module}"), entry.python)
    parameters = list(inspect.signature(found).parameters.values())
    plain = [each for each in parameters if each.kind is not inspect.Parameter.VAR_POSITIONAL]
    given = entry.context + (entry.most if entry.most is not None else 0)
    assert len(plain) >= given or len(plain) < len(parameters)
    assert found.__doc__
