"""The brokers of a declarative file: the queue manager of each, and what is deployed to it.

A deployment is as the file says if content, instances, properties and skipped flows are the same. Steps write
what shall run, as `penstock deploy` does; a broker that runs makes it so, another one at its next start.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.home_file_step import Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.broker.deployments import Deployment

DEPLOYMENT_KEYS = {"project", "group", "instances", "set", "skip"}


def broker_steps(name: str, about: dict[str, Any], folder: Path) -> list[Step]:
    """Return what a broker lacks."""
    from penstock.flow.broker.deployments import deployments_of
    from penstock.flow.broker.home import all_brokers

    known = {each.name: each for each in all_brokers()}.get(name)
    state = {"qmgr": "", "deployments": {}} if known is None else known.read_deployed()
    steps = []
    if known is None:
        steps.append(Step("create", "broker", name, [], lambda: _create(name)))
    qmgr = str(about.get("qmgr") or "")
    if qmgr and qmgr != state["qmgr"]:
        lines = [*([f"-qmgr {state['qmgr']}"] if state["qmgr"] else []), f"+qmgr {qmgr}"]
        steps.append(Step("change", "broker", name, lines, lambda: _choose(name, qmgr)))
    for wanted in about.get("deployments") or []:
        steps += _deployment(name, wanted, folder, deployments_of(state))
    return steps


def check_deployments(path: Path, name: str, found: Any) -> None:
    """Refuse deployments of another form."""
    for each in found or []:
        if not isinstance(each, dict) or "project" not in each or set(each) - DEPLOYMENT_KEYS:
            keys = ", ".join(sorted(DEPLOYMENT_KEYS))
            raise typer.BadParameter(f"{path}: brokers: {name}: a deployment has a project; there are {keys}")


def _create(name: str) -> None:
    from penstock.flow.broker.home import broker_home

    broker_home(name, create=True)


def _choose(name: str, qmgr: str) -> None:
    from penstock.flow.broker.home import broker_home

    with broker_home(name).changing() as state:
        state["qmgr"] = qmgr


def _deployment(
    broker: str, wanted: dict[str, Any], folder: Path, known: dict[str, Deployment]
) -> list[Step]:
    from penstock.flow.broker import deployments
    from penstock.flow.broker.home import broker_home
    from penstock.flow.importer.bar import is_bar

    source = folder / str(wanted["project"])
    group = str(wanted.get("group") or "default")
    instances = None if wanted.get("instances") is None else int(wanted["instances"])
    properties = {str(key): str(value) for key, value in (wanted.get("set") or {}).items()}
    skip = [str(each) for each in wanted.get("skip") or []]
    project = source.stem if is_bar(source) else source.resolve().name
    now = known.get(f"{group}/{project}")
    lines = _differences(now, _digest(source), instances, properties, skip)
    if not lines:
        return []

    def carry_out() -> None:
        deployments.deploy(broker_home(broker), source, group, instances, properties, skip=skip)

    name = f"{broker}: {group}/{project}"
    return [Step("create" if now is None else "change", "deployment", name, lines, carry_out)]


def _differences(
    now: Deployment | None, digest: str, instances: int | None, properties: dict[str, str], skip: list[str]
) -> list[str]:
    """Return what a deployment lacks, as lines of a plan; values of properties may be secrets."""
    if now is None:
        return [f"+content {digest[:12]}", *([f"+instances {instances}"] if instances else [])]
    lines = []
    if now.digest != digest:
        lines += [f"-content {now.digest[:12]}", f"+content {digest[:12]}"]
    if instances is not None and instances != now.instances:
        lines += [f"-instances {now.instances}", f"+instances {instances}"]
    changed = {
        key for key in {*now.properties, *properties} if now.properties.get(key) != properties.get(key)
    }
    lines += [f"~set {key}" for key in sorted(changed)]
    if sorted(now.skipped) != sorted(skip):
        lines += [f"-skip {' '.join(now.skipped)}", f"+skip {' '.join(skip)}"]
    return lines


def _digest(source: Path) -> str:
    from penstock.flow.project_content import digest_of

    with _content(source) as folder:
        return digest_of(folder)


@contextmanager
def _content(source: Path) -> Iterator[Path]:
    from penstock.flow.importer.bar import is_bar, unpack

    if not is_bar(source):
        if not source.is_dir():
            raise typer.BadParameter(f"{source} is neither the folder of a flow project nor a BAR file")
        yield source
        return
    with TemporaryDirectory(prefix="penstock-bar-") as folder:
        unpack(source, Path(folder))
        yield Path(folder)
