"""`penstock esql check`: text with carets, JSON, exit codes."""

import json
import os

from typer.testing import CliRunner

from penstock.cli.main import application

GOOD = "CREATE PROCEDURE p() BEGIN SET OutputRoot = InputRoot; END;\n"
BAD = "CREATE PROCEDURE q() BEGIN\n  SET x 1;\nEND;\n"


def run(*arguments):
    return CliRunner().invoke(application(), ["esql", "check", *map(str, arguments)])


def test_check_shows_the_line_and_a_caret_and_ends_with_1(tmp_path):
    file = tmp_path / "bad.esql"
    file.write_text(BAD)

    done = run(file)

    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{file}:2:9: error E110: expected =, found 1",
        "      SET x 1;",
        "            ^",
        "1 file, 1 error, 0 warnings",
    ]


def test_check_of_a_folder_as_json(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "good.ESQL").write_text(GOOD)
    (tmp_path / "bad.esql").write_text(BAD)
    (tmp_path / "other.txt").write_text("no ESQL")

    done = run(tmp_path, "--json")

    assert done.exit_code == 1
    assert json.loads(done.stdout) == [
        {"file": str(tmp_path / "a" / "good.ESQL"), "errors": [], "warnings": []},
        {
            "file": str(tmp_path / "bad.esql"),
            "errors": [{"line": 2, "column": 9, "code": "E110", "message": "expected =, found 1"}],
            "warnings": [],
        },
    ]


def test_warnings_alone_end_with_0(tmp_path):
    file = tmp_path / "w.esql"
    file.write_text("CREATE PROCEDURE p() BEGIN IF InputRoot.a = NULL THEN END IF; END;")

    done = run(file, "--json")

    assert done.exit_code == 0
    assert [each["code"] for each in json.loads(done.stdout)[0]["warnings"]] == ["W340"]


def test_a_path_that_does_not_exist_is_a_failure(tmp_path):
    done = run(tmp_path / "missing.esql")

    assert isinstance(done.exception, FileNotFoundError)


def test_a_file_whose_name_is_no_text_is_checked_and_shown_escaped(tmp_path):
    good = "CREATE FUNCTION f() RETURNS INTEGER BEGIN RETURN 1; END;"
    (tmp_path / os.fsdecode(b"good\xff.esql")).write_text(good)
    assert run(tmp_path).exit_code == 0

    (tmp_path / os.fsdecode(b"bad\xff.esql")).write_text(good.replace("1", "y"))
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "bad\\udcff.esql:1:50: error E201" in result.output


def test_projects_of_a_workspace_are_checked_apart(tmp_path):
    main = "CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN %s RETURN TRUE; END;"
    module = f"CREATE COMPUTE MODULE M {main} END MODULE;"
    for name, references, text in (
        ("Shared", "", "CREATE FUNCTION common() RETURNS INTEGER RETURN 1;"),
        ("One", "<project>Shared</project>", module % "SET OutputRoot.X.n = common();"),
        ("Two", "", module % "SET OutputRoot.X.n = common();"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / ".project").write_text(
            f"<projectDescription><name>{name}</name><projects>{references}</projects></projectDescription>"
        )
        (folder / "m.esql").write_text(text)
    found = run(tmp_path)
    assert found.exit_code == 1
    assert "Two/m.esql" in found.stdout
    assert "One/m.esql" not in found.stdout  # neither a copy of module M nor without its library
