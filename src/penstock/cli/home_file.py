"""The declarative file of `penstock apply`: what a home shall contain, and the plan that leads there.

A plan compares with what exists. MQSC is tried in a scratch queue manager that has a copy of the current
definitions; the difference of both exports is the plan, so that applying a file twice changes nothing.
Nothing that the file does not name is deleted.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

SECTIONS = {"queue_managers", "users", "data_sources"}
QMGR_KEYS = {"mqsc", "scripts"}
USER_KEYS = {"groups", "password_file"}


@dataclass
class Step:
    """One change: what it is, its details, and what carries it out."""

    act: str  # create or change
    kind: str
    name: str
    lines: list[str] = field(default_factory=list)
    carry_out: Callable[[], None] = lambda: None

    @property
    def facts(self) -> dict[str, Any]:
        """The step for JSON."""
        return {"act": self.act, "kind": self.kind, "name": self.name, "changes": self.lines}


def read(path: Path) -> dict[str, Any]:
    """Return the file's content; a usage error for what it may not contain."""
    import yaml

    try:
        data: Any = yaml.safe_load(path.read_text("utf-8")) or {}
    except (OSError, yaml.YAMLError) as failure:
        raise typer.BadParameter(f"{path}: {failure}") from failure
    _check_keys(path, "the file", data, SECTIONS)
    for section, allowed in (("queue_managers", QMGR_KEYS), ("users", USER_KEYS)):
        for name, about in (data.get(section) or {}).items():
            _check_keys(path, f"{section}: {name}", about or {}, allowed)
    return dict(data)


def _check_keys(path: Path, where: str, found: Any, allowed: set[str]) -> None:
    if not isinstance(found, dict):
        raise typer.BadParameter(f"{path}: {where} has names with values")
    unknown = sorted(set(map(str, found)) - allowed)
    if unknown:
        raise typer.BadParameter(
            f"{path}: {where}: unknown {unknown[0]}; there are {', '.join(sorted(allowed))}"
        )


def plan(data: dict[str, Any], folder: Path) -> list[Step]:
    """Return the steps that are missing; none when everything is as the file says."""
    steps: list[Step] = []
    for name, about in (data.get("users") or {}).items():
        steps += _user(str(name), about or {}, folder)
    for name, url in (data.get("data_sources") or {}).items():
        steps += _data_source(str(name), str(url))
    for name, about in (data.get("queue_managers") or {}).items():
        steps += _queue_manager(str(name), about or {}, folder)
    return steps


def _user(name: str, about: dict[str, Any], folder: Path) -> list[Step]:
    from penstock.cli.user.user_options import ask_password, users_path
    from penstock.host.users_file import User, changing_users, check_groups, read_users

    wanted = check_groups([str(each) for each in about.get("groups") or []])
    known = read_users(users_path()).get(name)
    if known is not None and known.groups == wanted:
        return []

    def carry_out() -> None:
        file = about.get("password_file")
        with changing_users(users_path()) as users:
            old = users.get(name)
            secret = old.password if old is not None else None
            if old is None and file:
                secret = ask_password(str(folder / str(file)))
            users[name] = User(name, wanted, secret)

    before = "" if known is None else " ".join(sorted(known.groups))
    lines = [f"-groups {before}"] if known is not None else []
    lines.append(f"+groups {' '.join(sorted(wanted))}")
    return [Step("create" if known is None else "change", "user", name, lines, carry_out)]


def _data_source(name: str, url: str) -> list[Step]:
    from penstock.esql.database.data_sources import DataSources, absolute_url

    known = DataSources().all().get(name)
    url = absolute_url(url)
    if known == url:
        return []
    return [
        Step("create" if known is None else "change", "data source", name, [], lambda: _bind(name, url))
    ]  # no lines: a URL may contain a password


def _bind(name: str, url: str) -> None:
    from penstock.esql.database.data_sources import DataSources

    DataSources().add(name, url)


def _queue_manager(name: str, about: dict[str, Any], folder: Path) -> list[Step]:
    from penstock.cli.connecting import connected
    from penstock.host.folder import list_folders

    text = _script(about, folder)
    steps: list[Step] = []
    before = ""
    if name in [each.name for each in list_folders()]:
        with connected(name) as qm:
            before = qm.export()
    else:
        steps.append(Step("create", "queue manager", name, [], lambda: _create(name)))
    new, old = _tried(name, before, text)
    if new != old:
        lines = list(
            difflib.unified_diff(old.splitlines(), new.splitlines(), "now", "then", n=0, lineterm="")
        )
        steps.append(Step("change", "objects", name, lines, lambda: _run(name, text)))
    return steps


def _script(about: dict[str, Any], folder: Path) -> str:
    """Return all MQSC of a queue manager: files first, then what the file has itself."""
    parts = [(folder / str(each)).read_text("utf-8") for each in about.get("scripts") or []]
    return "\n".join([*parts, str(about.get("mqsc") or "")])


def _tried(name: str, before: str, text: str) -> tuple[str, str]:
    """Return the export after a script and before it, both of a scratch queue manager."""
    import penstock

    with TemporaryDirectory(prefix="penstock-plan") as home:
        with penstock.embed(name, create=True, home=home) as qm:
            if before:
                qm.mqsc(before)
            old = _exported(qm)
            qm.mqsc(text, check=True)
            return _exported(qm), old


def _exported(qm: Any) -> str:
    return "\n".join(line for line in qm.export().splitlines() if not line.startswith("*"))


def _create(name: str) -> None:
    import penstock

    penstock.embed(name, create=True).close()


def _run(name: str, text: str) -> None:
    from penstock.cli.connecting import connected

    with connected(name) as qm:
        qm.mqsc(text, check=True)
