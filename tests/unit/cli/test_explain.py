"""`penstock explain`: by number, by name, as JSON, the list, and near matches."""

import json

import pytest
import typer
from typer.testing import CliRunner

from penstock.cli.explain import explain, near_matches
from penstock.model.reasons import REASONS

app = typer.Typer()
app.command()(explain)


def run(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize(
    "code",
    ["2035", "MQRC_NOT_AUTHORIZED", "NOT_AUTHORIZED", "not_authorized", "2035 MQRC_NOT_AUTHORIZED: no"],
)
def test_explains_a_code_by_number_and_name(code):
    result = run(code)

    assert result.exit_code == 0
    assert "2035 MQRC_NOT_AUTHORIZED" in result.output
    assert "SET AUTHREC" in result.output


def test_json_has_the_four_fields():
    result = run("2053", "--json")

    answer = json.loads(result.output)
    assert list(answer) == ["number", "name", "meaning", "action"]
    assert answer["name"] == "MQRC_Q_FULL"


def test_list_shows_all():
    answer = json.loads(run("--list", "--json").output)

    assert [entry["number"] for entry in answer] == sorted(REASONS)
    assert "PSRC_FOLDER_LOCKED" in run("--list").output


def test_unknown_code_ends_with_one_and_near_matches():
    result = run("NOT_AUTHORISED")

    assert result.exit_code == 1
    assert "2035 MQRC_NOT_AUTHORIZED" in result.output


def test_unknown_code_as_json():
    result = run("2084", "--json")

    error = json.loads(result.stderr)["error"]
    assert result.exit_code == 1
    assert "2084" in error["text"]
    assert error["near"][0]["number"] == 2085


def test_near_matches_of_nonsense_are_few():
    assert near_matches("XQZWVKJ") == []
    assert near_matches("nonsense") == []
    assert len(near_matches("ERROR")) == 5


def test_no_code_at_all_is_a_usage_error():
    assert run().exit_code == 2
