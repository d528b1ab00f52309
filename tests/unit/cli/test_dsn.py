"""`penstock dsn`: names outside projects, secrets not shown."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.cli.dsn import app
from penstock.esql.database.data_sources import DataSources, driver_url, shown_url
from penstock.model.errors import MQError

SECRET = "postgresql://me:s3cret@db.example/shop"


def run(*words: str, text: str | None = None) -> str:
    result = CliRunner().invoke(app, list(words), input=text, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_name_is_added_listed_shown_and_removed(penstock_home: Path) -> None:
    assert run("add", "SHOP", SECRET) == "SHOP is postgresql://me:***@db.example/shop\n"
    assert "s3cret" not in run("list")
    assert json.loads(run("list", "--json")) == [
        {"name": "SHOP", "url": "postgresql://me:***@db.example/shop"}
    ]
    assert json.loads(run("show", "SHOP", "--json"))["name"] == "SHOP"
    assert "s3cret" not in run("show", "SHOP")

    assert run("remove", "SHOP") == "SHOP is removed\n"
    assert json.loads(run("list", "--json")) == []


def test_only_the_owner_can_read_the_file(penstock_home: Path) -> None:
    run("add", "SHOP", SECRET)

    file = penstock_home / "dsn.json"

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"SHOP": SECRET}
    assert [each.name for each in penstock_home.iterdir()] == ["dsn.json"]


def test_a_url_can_come_from_standard_input(penstock_home: Path) -> None:
    run("add", "SHOP", "--url-file", "-", text=SECRET + "\n")

    assert DataSources().url("SHOP") == SECRET
    assert DataSources().url("shop") == SECRET


def test_a_relative_sqlite_file_becomes_absolute(
    penstock_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("add", "SHOP", "sqlite:///data/../shop.db") == f"SHOP is sqlite:///{tmp_path}/shop.db\n"
    assert DataSources().url("SHOP") == f"sqlite:///{tmp_path}/shop.db"
    assert run("add", "SHOP", "sqlite+pysqlite:///shop.db?timeout=5").endswith(
        f"{tmp_path}/shop.db?timeout=5\n"
    )
    for url in (
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:////var/shop.db",
        "sqlite:///file:x?uri=true",
        SECRET,
    ):
        run("add", "SHOP", url)
        assert DataSources().url("SHOP") == url


def test_a_connection_is_tried(penstock_home: Path, tmp_path: Path) -> None:
    run("add", "LOCAL", f"sqlite:///{tmp_path}/local.db")

    assert json.loads(run("test", "LOCAL", "--json"))["database"] == "sqlite"


def test_what_is_not_there_has_its_code(penstock_home: Path, tmp_path: Path) -> None:
    with pytest.raises(MQError) as unknown:
        run("show", "NOTHING")
    with pytest.raises(MQError) as gone:
        run("remove", "NOTHING")
    run("add", "BAD", f"sqlite:///{tmp_path}/no/such/folder.db")
    with pytest.raises(MQError) as unreachable:
        run("test", "BAD")

    assert unknown.value.reason == gone.value.reason == 8230
    assert unreachable.value.fields["sqlstate"] == "D08001"


@pytest.mark.parametrize(
    ("name", "url"), [("A B", "sqlite://"), ("", "sqlite://"), ("A", "no url"), ("A", "://x")]
)
def test_bad_names_and_urls_are_refused(name: str, url: str) -> None:
    with pytest.raises(MQError) as raised:
        DataSources().add(name, url)
    assert raised.value.reason == 8231


def test_a_damaged_file_is_named(penstock_home: Path) -> None:
    penstock_home.mkdir(exist_ok=True)
    (penstock_home / "dsn.json").write_text("[1")
    with pytest.raises(MQError) as raised:
        DataSources().all()
    assert "dsn.json" in raised.value.detail


def test_urls() -> None:
    assert driver_url("sqlite:///x.db") == "sqlite+pysqlite:///x.db"
    assert driver_url("oracle+oracledb://x") == "oracle+oracledb://x"
    assert shown_url("postgresql://h/d?user=x&password=y") == "postgresql://h/d?user=x&password=***"
    assert shown_url("postgresql://me:p@ss@h/d") == "postgresql://me:***@h/d"
