"""What shall run: projects deployed to groups, with a number of instances and properties.

`deploy` checks every flow, copies the project aside and renames it, then writes the new state in one step:
a command that dies on the way has changed nothing. A project that is deployed again unchanged gets no new
version, so that only the number of instances or the properties change. The supervisor reads the state and
makes it so.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.checking import check_flow
from penstock.flow.engines import serves_http, ties
from penstock.flow.files.claims import sync_folder
from penstock.flow.importer.bar import is_bar, unpack
from penstock.flow.importer.overrides import Overrides
from penstock.flow.loading import esql_cache
from penstock.flow.overrides import apply_overrides, check_owners
from penstock.flow.project import Project
from penstock.model.constants_reasons import PSRC_BROKER, PSRC_FLOW_GRAPH, PSRC_FLOW_PROJECT
from penstock.model.errors import error
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.broker.home import BrokerHome

VERSIONS_KEPT = 3
NAME = re.compile(r"[^\W.][\w. -]{0,99}")
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".git", ".venv", "*.pyc")


@dataclass(frozen=True)
class Deployment:
    """One project in one group.

    `flows` has, for each flow, what ties its instances to one process; `serving` those with an HTTP port;
    `notes` say by flow and node what does not run as its files say.
    """

    project: str
    group: str
    version: int
    digest: str
    instances: int
    flows: dict[str, list[str]]
    properties: dict[str, str] = field(default_factory=dict)
    deployed: float = 0.0
    serving: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What tells deployments apart."""
        return f"{self.group}/{self.project}"

    def folder(self, home: BrokerHome) -> Path:
        """Return where the copy of the project lies."""
        return home.projects / self.project / str(self.version)


def deployments_of(state: dict[str, Any]) -> dict[str, Deployment]:
    """Return what a state file says, by key."""
    return {key: Deployment(**facts) for key, facts in state["deployments"].items()}


def deploy(
    home: BrokerHome, source: Path, group: str, instances: int, properties: dict[str, str], name: str = ""
) -> tuple[Deployment, int]:
    """Deploy a folder or a BAR file; return the deployment and the generation of the state that has it."""
    if is_bar(source):
        with TemporaryDirectory(prefix="penstock-bar-") as folder:
            left = [f"{each}: {why}" for each, why in unpack(source, Path(folder)).left]
            return _deploy(home, Path(folder), group, instances, properties, name or source.stem, left)
    if not source.is_dir():
        raise error(PSRC_FLOW_PROJECT, f"{source} is no folder of a flow project")
    return _deploy(home, source, group, instances, properties, name or source.resolve().name, [])


def _deploy(
    home: BrokerHome,
    source: Path,
    group: str,
    instances: int,
    properties: dict[str, str],
    name: str,
    left: list[str],
) -> tuple[Deployment, int]:
    for what in (group, name):
        _check_name(what)
    found = checked(source, properties, name)
    with home.changing() as state:
        digest = digest_of(source)
        known = [each for each in deployments_of(state).values() if each.project == name]
        same = next((each for each in known if each.digest == digest), None)
        version = same.version if same is not None else _copy(home, source, name)
        made = Deployment(
            *(name, group, version, digest, instances, found.flows, properties, time.time()),
            *(found.serving, left + found.notes),
        )
        state["deployments"][made.key] = asdict(made)
        generation = state["generation"] + 1
    _forget_versions(home, name)
    return made, generation


def _check_name(name: str) -> None:
    """Refuse a name of a group or project that is no plain file name: logs and copies are called by it."""
    if not NAME.fullmatch(name):
        raise error(PSRC_BROKER, f"{name!r} is no name: letters, digits, . _ - and blanks, at most 100")


def undeploy(home: BrokerHome, project: str, group: str) -> int:
    """Take a project out of a group; return the generation of the state without it."""
    with home.changing() as state:
        if state["deployments"].pop(f"{group}/{project}", None) is None:
            known = ", ".join(sorted(state["deployments"])) or "nothing"
            raise error(PSRC_BROKER, f"{project} is not deployed in group {group}; deployed are: {known}")
        generation: int = state["generation"] + 1
    return generation


class Checked(NamedTuple):
    """What is known of the flows of a project before they run: see `Deployment`."""

    flows: dict[str, list[str]]
    serving: list[str]
    notes: list[str]


def checked(source: Path, properties: dict[str, str], name: str = "") -> Checked:
    """Check every flow of a project, and that every file of it can be read; `name` is what it is called.

    One error tells all that is wrong with all flows: nothing of a project is deployed then.
    """
    name = name or source.name
    project = Project(source, cache=esql_cache(), overrides=Overrides(properties))
    if not project.flows and not project.unread:
        raise error(PSRC_FLOW_PROJECT, f"project {name} has no flow")
    check_owners(properties, project.flows)
    for flow in project.flows.values():
        apply_overrides(flow, properties, project.flows.values())
    reports = [check_flow(flow, project) for flow in project.flows.values()]
    wrong = [raised.detail for raised in project.unread.values()]
    wrong += [f"{report.name}: {each}" for report in reports for each in report.errors]
    if wrong:
        raise error(PSRC_FLOW_GRAPH, f"{name} cannot be deployed\n" + "\n".join(wrong))
    compiled = [report.compiled for report in reports if report.compiled is not None]
    return Checked(
        {each.name: ties(each) for each in compiled},
        [each.name for each in compiled if serves_http(each)],
        [f"{report.name}: {each}" for report in reports for each in report.findings],
    )


def digest_of(source: Path) -> str:
    """Return what tells the content of a project from any other."""
    digest = hashlib.sha256()
    for path, relative in content_of(source):
        digest.update(f"{relative} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def content_of(source: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a project, and their paths in it, in order."""
    for path in sorted(each for each in source.rglob("*") if each.is_file()):
        relative = path.relative_to(source)
        if not LEFT_OUT(str(path.parent), [relative.name, *relative.parts]):
            yield path, relative


def _copy(home: BrokerHome, source: Path, name: str) -> int:
    """Copy a project into the broker's folder as its next version."""
    place = home.projects / name
    make_private(place)
    version = max(_versions(place), default=0) + 1
    aside = place / f"new-{version}"
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(source, aside, ignore=LEFT_OUT)
    aside.rename(place / str(version))
    sync_folder(place)
    return version


def _versions(place: Path) -> list[int]:
    return sorted(int(each.name) for each in place.iterdir() if each.name.isdigit())


def _forget_versions(home: BrokerHome, name: str) -> None:
    """Remove copies that are neither deployed nor among the last ones."""
    used = {each.version for each in deployments_of(home.read_deployed()).values() if each.project == name}
    place = home.projects / name
    for version in _versions(place)[:-VERSIONS_KEPT]:
        if version not in used:
            shutil.rmtree(place / str(version), ignore_errors=True)
