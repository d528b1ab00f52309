"""What shall run: projects deployed to groups, with a number of instances and properties.

`deploy` copies what belongs to the project, checks every flow of the copy, gives it the name of a version and
writes the new state in one step: a command that is killed has changed nothing. A project that is
deployed again unchanged gets no new version, so that only the number of instances or the properties change.
`roll_back` writes a state with an earlier version. The supervisor reads the state and makes it so.
"""

from __future__ import annotations

import re
import shutil
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.checking import check_flow
from penstock.flow.engines import serves_http, ties
from penstock.flow.graph.graph import near
from penstock.flow.importer.bar import is_bar, unpack
from penstock.flow.importer.overrides import Overrides
from penstock.flow.importer.workspace import FLOW_ENDINGS
from penstock.flow.loading import esql_cache
from penstock.flow.overrides import apply_overrides, check_owners
from penstock.flow.project import FLOWS, Project
from penstock.flow.project_content import copy_content, digest_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store.durable_files import sync_folder
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from penstock.flow.broker.home import BrokerHome

VERSIONS_KEPT = 3
INSTANCES_MAX = 256
NAME = re.compile(r"[^\W.][\w. -]{0,99}")


@dataclass(frozen=True)
class Deployment:
    """One project in one group.

    `flows` has, for each flow, the reason why its instances need one process; `serving` lists those with an
    HTTP port; `notes` list by flow and node what differs from the flow files; `left` has the flows and files
    that are left out, with the errors, and those that were to be skipped. `additional` are the additional
    instances that flows or their BAR specify. `stopped` are flows that do not run now; the next deployment or
    rollback starts them.
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
    left: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    additional: dict[str, int] = field(default_factory=dict)
    stopped: list[str] = field(default_factory=list)

    def instances_of(self, flow: str) -> int:
        """Return how many instances of a flow run."""
        return 0 if flow in self.stopped else self.instances + self.additional.get(flow, 0)

    @property
    def key(self) -> str:
        """The key of a deployment."""
        return f"{self.group}/{self.project}"

    def folder(self, home: BrokerHome) -> Path:
        """Return the folder with the copy of the project."""
        return home.projects / self.project / str(self.version)


def deployments_of(state: dict[str, Any]) -> dict[str, Deployment]:
    """Return the contents of a state file, by key."""
    return {key: Deployment(**facts) for key, facts in state["deployments"].items()}


def broker_facts(home: BrokerHome) -> dict[str, Any]:
    """Return what is known of a broker: process, queue manager, deployments, workers."""
    state = home.read_deployed()
    holder = home.holder
    status = home.read_status() if holder is not None else {}
    return {
        "name": home.name,
        "process": None if holder is None else holder.pid,
        "qmgr": status.get("qmgr", state["qmgr"]),
        "folder": str(home.path),
        "deployments": [asdict(each) for each in deployments_of(state).values()],
        "workers": status.get("workers", []),
    }


def deploy(
    home: BrokerHome,
    source: Path,
    group: str,
    instances: int | None,
    properties: dict[str, str],
    name: str = "",
    skip: Sequence[str] = (),
) -> tuple[Deployment, int]:
    """Deploy a folder or a BAR file; return the deployment and the generation of the state that has it.

    Flows with errors are left out, and those that `skip` names. Without `instances` it keeps the number that
    it has, or one and the additional instances of each flow.
    """
    if is_bar(source):
        with TemporaryDirectory(prefix="penstock-bar-") as folder:
            left = [f"{each}: {why}" for each, why in unpack(source, Path(folder)).left]
            return _deploy(home, Path(folder), group, instances, properties, name or source.stem, left, skip)
    if not source.is_dir():
        raise error(mq.PSRC_FLOW_PROJECT, f"{source} is no folder of a flow project")
    return _deploy(home, source, group, instances, properties, name or source.resolve().name, [], skip)


def _deploy(
    home: BrokerHome,
    source: Path,
    group: str,
    instances: int | None,
    properties: dict[str, str],
    name: str,
    notes: list[str],
    skip: Sequence[str],
) -> tuple[Deployment, int]:
    for what in (group, name):
        _check_name(what)
    with TemporaryDirectory(prefix="penstock-deploy-") as folder:
        copy = Path(folder) / "project"
        copy_content(source, copy)
        found = _checked_copy(copy, source, properties, name, skip)
        with home.changing() as state:
            digest = digest_of(copy)
            deployed = deployments_of(state)
            now = deployed.get(f"{group}/{name}")
            known = [each for each in deployed.values() if each.project == name]
            same = next((each for each in known if each.digest == digest), None)
            version = same.version if same is not None else _keep(home, copy, name)
            made = Deployment(
                *(name, group, version, digest, instances or (now.instances if now is not None else 1)),
                *(found.flows, properties, time.time(), found.serving, notes + found.notes),
                *(found.left, list(skip), found.additional if instances is None else {}),
            )
            generation = _enter(home, state, made)
            _forget_versions(home, state, name)
    return made, generation


def _enter(home: BrokerHome, state: dict[str, Any], made: Deployment) -> int:
    """Add a deployment to a state, and record it for a rollback; return the next generation."""
    state["deployments"][made.key] = asdict(made)
    past = state.setdefault("history", {}).setdefault(made.key, {})
    past[str(made.version)] = asdict(made)
    kept = set(versions_of(home, made.project))
    for version in [each for each in past if int(each) not in kept]:
        del past[version]
    generation: int = state["generation"] + 1
    return generation


def set_instances(home: BrokerHome, project: str, group: str, count: int) -> int:
    """Change the number of instances of a deployment; return the generation of the state that has it."""
    if not 1 <= count <= INSTANCES_MAX:
        raise error(mq.PSRC_BROKER, f"a flow has 1 to {INSTANCES_MAX} instances, not {count}")
    return _change(home, project, group, lambda now: replace(now, instances=count, additional={}))


def set_stopped(home: BrokerHome, project: str, group: str, flow: str, stopped: bool) -> int:
    """Stop a flow of a deployment, or start it again; return the generation of the state that has it."""

    def changed(now: Deployment) -> Deployment:
        if flow not in now.flows:
            raise error(mq.PSRC_BROKER, f"{project} has no flow {flow}{near(flow, now.flows)}")
        others = [each for each in now.stopped if each != flow]
        return replace(now, stopped=[*others, flow] if stopped else others)

    return _change(home, project, group, changed)


def _change(home: BrokerHome, project: str, group: str, changed: Callable[[Deployment], Deployment]) -> int:
    with home.changing() as state:
        return _enter(home, state, changed(_deployed(state, project, group)))


def roll_back(home: BrokerHome, project: str, group: str, version: int = 0) -> tuple[Deployment, int]:
    """Deploy an earlier version as it was: files, properties, instances; 0: the one that ran here before.

    8351 when the project is not deployed in the group or there is no such version any more.
    """
    with home.changing() as state:
        now = _deployed(state, project, group)
        kept = versions_of(home, project)
        wanted = version or _before(state, now, kept)
        if wanted not in kept or wanted == now.version:
            raise error(mq.PSRC_BROKER, _no_way_back(now, kept, wanted))
        then = _past(home, state, now, wanted)
        made = replace(then, deployed=time.time(), stopped=[])
        generation = _enter(home, state, made)
    return made, generation


def _before(state: dict[str, Any], now: Deployment, kept: list[int]) -> int:
    """Return the earlier version that was deployed last in this group; 0 for none.

    One that was left before is not it, and neither is one that only other groups had.
    """
    past = state.get("history", {}).get(now.key, {})
    earlier = [each for each in kept if each < now.version and str(each) in past]
    return max(earlier, key=lambda each: (past[str(each)]["deployed"], each), default=0)


def _no_way_back(now: Deployment, kept: list[int], wanted: int) -> str:
    shown = ", ".join(str(each) for each in kept)
    what = f"{now.project} has version {now.version} in group {now.group}"
    if not wanted and kept == [now.version]:
        return f"no other version is kept: {what}"
    what += f"; kept are versions {shown}"
    if not wanted:
        return f"no earlier version ran in group {now.group}: {what}; name the one that you want"
    return (
        f"version {wanted} is deployed already" if wanted == now.version else f"no version {wanted}: {what}"
    )


def _past(home: BrokerHome, state: dict[str, Any], now: Deployment, version: int) -> Deployment:
    """Return a version as it was deployed in this group; one that never was gets what this one has."""
    facts = state.get("history", {}).get(now.key, {}).get(str(version))
    if facts is not None:
        return Deployment(**facts)
    then = replace(now, version=version)
    folder = then.folder(home)
    found = checked(folder, now.properties, now.project)
    facts = {"flows": found.flows, "serving": found.serving, "notes": found.notes, "left": found.left}
    return replace(then, digest=digest_of(folder), skipped=[], **facts)


def _deployed(state: dict[str, Any], project: str, group: str) -> Deployment:
    """Return a deployment; 8351 when there is none."""
    found = deployments_of(state).get(f"{group}/{project}")
    if found is None:
        known = ", ".join(sorted(state["deployments"])) or "nothing"
        raise error(mq.PSRC_BROKER, f"{project} is not deployed in group {group}; deployed are: {known}")
    return found


def history(home: BrokerHome, project: str, group: str) -> list[dict[str, Any]]:
    """Return the versions that a project can go back to, newest first, and the one that is deployed."""
    state = home.read_deployed()
    now = _deployed(state, project, group)
    past = state.get("history", {}).get(now.key, {})
    return [
        {
            "version": each,
            "deployed": past.get(str(each), {}).get("deployed"),
            "properties": past.get(str(each), {}).get("properties", {}),
            "is_current": each == now.version,
        }
        for each in reversed(versions_of(home, project))
    ]


def _check_name(name: str) -> None:
    """Refuse a group or project name that is not a plain file name: logs and copies are named after it."""
    if not NAME.fullmatch(name):
        raise error(mq.PSRC_BROKER, f"{name!r} is no name: letters, digits, . _ - and blanks, at most 100")


def undeploy(home: BrokerHome, project: str, group: str) -> int:
    """Take a project out of a group; return the generation of the state without it."""
    with home.changing() as state:
        del state["deployments"][_deployed(state, project, group).key]
        generation: int = state["generation"] + 1
    return generation


class Checked(NamedTuple):
    """Facts about the flows of a project, known before they run: see `Deployment`."""

    flows: dict[str, list[str]]
    serving: list[str]
    notes: list[str]
    left: list[str]
    additional: dict[str, int]


def checked(source: Path, properties: dict[str, str], name: str = "", skip: Container[str] = ()) -> Checked:
    """Check every flow of a project, and that each of its files can be read; `name` is the project's name.

    Flows that cannot run are left out. If none can, or something that all need is wrong, one error reports
    everything, and nothing of the project is deployed.
    """
    name = name or source.name
    project = Project(source, cache=esql_cache(), overrides=Overrides(properties))
    if not project.flows and not project.unread:
        raise error(mq.PSRC_FLOW_PROJECT, f"project {name} has no flow")
    check_owners(properties, project.flows)
    for flow in project.flows.values():
        apply_overrides(flow, properties, project.flows.values())
    reports = [check_flow(flow, project) for each, flow in project.flows.items() if each not in skip]
    wrong = [raised.detail for raised in project.unread.values()]
    wrong += [f"{report.name}: {each}" for report in reports for each in report.errors]
    compiled = [report.compiled for report in reports if report.compiled is not None]
    if wrong and (not compiled or any(not _is_flow(path) for path in project.unread)):
        raise error(mq.PSRC_FLOW_GRAPH, f"{name} cannot be deployed\n" + "\n".join(wrong))
    good = {each.name for each in compiled}
    return Checked(
        {each.name: ties(each) for each in compiled},
        [each.name for each in compiled if serves_http(each)],
        [f"{report.name}: {each}" for report in reports if report.name in good for each in report.findings],
        wrong,
        {each.name: each.flow.additional_instances for each in compiled if each.flow.additional_instances},
    )


def _is_flow(path: Path) -> bool:
    """Return whether a file that cannot be read has flows of its own, and is needed by no other."""
    return path.suffix in FLOW_ENDINGS or path.parent.name == FLOWS


def _checked_copy(
    copy: Path, source: Path, properties: dict[str, str], name: str, skip: Sequence[str]
) -> Checked:
    """Check a copy, so that a file that was left out is missed now; errors name the project's own files."""
    project = Project(copy)
    for unknown in [each for each in skip if each not in project.flows]:
        raise error(
            mq.PSRC_FLOW_PROJECT,
            f"--skip {unknown}: project {name} has no such flow{near(unknown, project.flows)}",
        )
    try:
        found = checked(copy, properties, name, skip)
    except MQError as raised:
        raise error(raised.reason, raised.detail.replace(str(copy), str(source))) from raised
    return found._replace(left=[each.replace(str(copy), str(source)) for each in found.left])


def _keep(home: BrokerHome, copy: Path, name: str) -> int:
    """Put a project into the broker's folder as its next version."""
    place = home.projects / name
    make_private(place)
    version = max(versions_of(home, name), default=0) + 1
    aside = place / f"new-{version}"
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(copy, aside, ignore=shutil.ignore_patterns("__pycache__"))  # of the check
    aside.rename(place / str(version))
    sync_folder(place)
    return version


def versions_of(home: BrokerHome, name: str) -> list[int]:
    """Return the versions of a project that the broker has, oldest first."""
    place = home.projects / name
    found = place.iterdir() if place.is_dir() else ()
    return sorted(int(each.name) for each in found if each.name.isdigit())


def _forget_versions(home: BrokerHome, state: dict[str, Any], name: str) -> None:
    """Remove copies that are not among the last ones, nor deployed now or by a state to come."""
    states = (home.read_deployed(), state)
    used = {
        each.version for facts in states for each in deployments_of(facts).values() if each.project == name
    }
    for version in versions_of(home, name)[:-VERSIONS_KEPT]:
        if version not in used:
            shutil.rmtree(home.projects / name / str(version), ignore_errors=True)
