"""The declarative file of `penstock apply`: what a home shall contain, and the plan that leads there.

A plan compares with what exists. MQSC is tried in a scratch queue manager that has a copy of the current
definitions; the difference of both exports is the plan, so that applying a file twice changes nothing.
Nothing that the file does not name is deleted.
"""

from __future__ import annotations

import difflib
import re
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.home_file_brokers import broker_steps, check_deployments
from penstock.cli.home_file_step import Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.blocking import BlockingQueueManager

SECTIONS = {"queue_managers", "users", "data_sources", "brokers"}
QMGR_KEYS = {"mqsc", "scripts", "tls"}
TLS_KEYS = {"certificate", "trusted"}
BROKER_KEYS = {"qmgr", "deployments"}
KEY_REPOSITORY = re.compile(r"SSLKEYR\('([^']+)'\)")
LABEL = re.compile(r"CERTLABL\('([^']+)'\)")
USER_KEYS = {"groups", "password_file"}


def read(path: Path) -> dict[str, Any]:
    """Return the file's content; a usage error for what it may not contain."""
    import yaml

    try:
        data: Any = yaml.safe_load(path.read_text("utf-8")) or {}
    except (OSError, yaml.YAMLError) as failure:
        raise typer.BadParameter(f"{path}: {failure}") from failure
    _check_keys(path, "the file", data, SECTIONS)
    sections = (("queue_managers", QMGR_KEYS), ("users", USER_KEYS), ("brokers", BROKER_KEYS))
    for section, allowed in sections:
        for name, about in (data.get(section) or {}).items():
            _check_keys(path, f"{section}: {name}", about or {}, allowed)
            _check_keys(path, f"{section}: {name}: tls", (about or {}).get("tls") or {}, TLS_KEYS)
            check_deployments(path, str(name), (about or {}).get("deployments"))
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
        steps += _data_source(str(name), str(url), folder)
    for name, about in (data.get("queue_managers") or {}).items():
        steps += _queue_manager(str(name), about or {}, folder)
    for name, about in (data.get("brokers") or {}).items():
        steps += broker_steps(str(name), about or {}, folder)
    return steps


def _user(name: str, about: dict[str, Any], folder: Path) -> list[Step]:
    from penstock.cli.user.user_options import ask_password, users_path
    from penstock.host.users.users_file import User, changing_users, check_groups, read_users

    wanted = check_groups([str(each) for each in about.get("groups") or []])
    known = read_users(users_path()).get(name)
    if known is not None and known.groups == wanted:
        return []

    file = about.get("password_file")
    new_secret = ask_password(str(folder / str(file))) if known is None and file else None

    def carry_out() -> None:
        with changing_users(users_path()) as users:
            old = users.get(name)
            users[name] = User(name, wanted, new_secret if old is None else old.password)

    before = "" if known is None else " ".join(sorted(known.groups))
    lines = [f"-groups {before}"] if known is not None else []
    lines.append(f"+groups {' '.join(sorted(wanted))}")
    return [Step("create" if known is None else "change", "user", name, lines, carry_out)]


def _data_source(name: str, url: str, folder: Path) -> list[Step]:
    from penstock.esql.database.data_sources import DataSources, absolute_url, driver_url

    driver_url(url)
    known = DataSources().all().get(name)
    url = absolute_url(url, folder)
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
    from penstock.host.folders.folder import list_folders

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
    return [*steps, *_key_files(name, about.get("tls") or {}, folder, new)]


def _key_files(name: str, files: dict[str, Any], folder: Path, objects: str) -> Iterator[Step]:
    """Yield steps that copy PEM files to the key repository, where the definitions to come look for them."""
    from penstock.host.folders.folder import folder_of

    given, label = KEY_REPOSITORY.search(objects), LABEL.search(objects)
    place = folder_of(name).path / "ssl" if given is None else Path(given[1])
    names = {"certificate": f"{'certificate' if label is None else label[1]}.pem", "trusted": "trusted.pem"}
    for key, file in files.items():
        try:
            data = (folder / str(file)).read_bytes()
        except OSError as failure:
            raise typer.BadParameter(f"tls of {name}: {failure}") from failure
        path = place / names[key]
        known = path.exists()
        if not known or path.read_bytes() != data:
            carry_out = partial(_write, path, data)
            yield Step("change" if known else "create", "TLS file", f"{name}: {path.name}", [], carry_out)


def _write(path: Path, data: bytes) -> None:
    """Replace a file with a key, for its owner alone."""
    from penstock.store.files import Files
    from penstock.store.home import make_private

    if not path.parent.is_dir():
        make_private(path.parent)
    Files(None).replace(path, path.with_name(f"{path.name}.new"), data)


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


def _exported(qm: BlockingQueueManager) -> str:
    return "\n".join(line for line in qm.export().splitlines() if not line.startswith("*"))


def _create(name: str) -> None:
    import penstock

    penstock.embed(name, create=True).close()


def _run(name: str, text: str) -> None:
    from penstock.cli.connecting import connected

    with connected(name) as qm:
        qm.mqsc(text, check=True)
