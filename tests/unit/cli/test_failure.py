"""Failures on the command line."""

import json

from penstock.cli.failure import report
from penstock.model.errors import error


def test_a_failure_is_one_line_with_number_name_and_what_to_do(capsys):
    failure = error(2085, "queue ORDERS is not defined")

    assert report(failure, as_json=False)

    text = capsys.readouterr().err
    assert text.startswith("penstock: 2085 MQRC_UNKNOWN_OBJECT_NAME: queue ORDERS is not defined. ")
    assert text.count("\n") == 1
    assert failure.action in text


def test_the_same_failure_in_json(capsys):
    report(error(2085, "queue ORDERS is not defined", object="ORDERS"), as_json=True)

    facts = json.loads(capsys.readouterr().err)["error"]
    assert facts["reason"] == 2085
    assert facts["name"] == "MQRC_UNKNOWN_OBJECT_NAME"
    assert facts["fields"] == {"object": "ORDERS"}


def test_a_missing_file_is_one_line_too(capsys):
    assert report(FileNotFoundError(2, "No such file or directory", "orders.txt"), as_json=False)

    assert capsys.readouterr().err == "penstock: orders.txt: No such file or directory.\n"


def test_below_a_caret_line_what_to_do_has_its_own_line(capsys):
    report(error(2459, "expected a value\na = \n    ^"), as_json=False)

    assert capsys.readouterr().err.splitlines()[2:] == ["    ^", error(2459).action]


def test_a_defect_keeps_its_traceback():
    assert not report(ZeroDivisionError(), as_json=False)
