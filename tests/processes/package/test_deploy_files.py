"""The files in deploy/ name metrics and commands that exist."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from penstock.console.metrics import Requests
from penstock.flow.broker.metrics import page_of
from penstock.host.folders.ini import LocalSocketSettings
from penstock.model.status import ChannelFigures, Histogram, MessageChannelFigures, QueueFigures, Status
from penstock.serve.monitoring.metrics_text import text_of
from tests.uncompiled import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPLOY = ROOT / "deploy"
WORKER = {  # what a broker's status has of a flow
    "state": "running",
    "nodes": [],
    **dict.fromkeys(("group", "project", "flow", "instance", "messages", "failed"), 0),
    **dict.fromkeys(("given_up", "lost", "restarts", "threads"), 0),
}
NAME = re.compile(r"\bpenstock_[a-z_]+")
SELECTION = re.compile(r"\{[^}]*\}")


def known_metrics() -> set[str]:
    status = Status(name="QM1", channels=ChannelFigures(instances={"C": 1}))
    status.wait_times = status.log.sync_times = Histogram(bounds=[1.0], counts=[2, 0], total=0.5)
    status.message_channels = [MessageChannelFigures(channel="C", type="SDR")]
    text = text_of(status, [QueueFigures(queue="Q")], 0.0) + page_of("B", [WORKER]) + Requests().page()
    found = re.findall(r"^# TYPE (\S+) (\S+)", text, re.MULTILINE)
    return {f"{name}_bucket" if kind == "histogram" else name for name, kind in found}


def expressions() -> Iterator[str]:
    board = json.loads((DEPLOY / "grafana" / "penstock.json").read_text())
    for panel in board["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    for variable in board["templating"]["list"]:
        yield str(variable["query"])
    for group in yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]:
        yield from (rule["expr"] for rule in group["rules"])


def test_every_metric_of_dashboard_and_alerts_exists() -> None:
    named = {name for text in expressions() for name in NAME.findall(SELECTION.sub("", text))}
    assert len(named) > 10
    assert named - known_metrics() == set()


def test_panels_have_ids_of_their_own_and_the_chosen_data_source() -> None:
    panels = json.loads((DEPLOY / "grafana" / "penstock.json").read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert {panel["datasource"]["uid"] for panel in panels} == {"${datasource}"}


def documents(path: str) -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / path).read_text()))


def test_kubernetes_probes_ask_pages_that_exist() -> None:
    stateful = next(each for each in documents("kubernetes/penstock.yaml") if each["kind"] == "StatefulSet")
    container = stateful["spec"]["template"]["spec"]["containers"][0]
    asked = {
        container[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert asked == {"/live", "/ready"}
    assert stateful["spec"]["replicas"] == 1  # two would not get the folder's lock


def test_compose_starts_roles_that_the_container_knows() -> None:
    (compose,) = documents("compose.yaml")
    roles = {each["command"][0] for each in compose["services"].values() if "command" in each}
    script = (DEPLOY / "entrypoint.sh").read_text()
    assert roles == {"qmgr", "broker", "web"}
    assert all(f"\n{role})" in script for role in roles)


def test_a_container_deploys_the_mounted_projects_and_then_starts_the_broker(tmp_path: Path) -> None:
    (tmp_path / "penstock").write_text('#!/bin/sh\necho "$@"\n[ "$1" != deploy ] || [ "${2##*/}" != bad ]\n')
    (tmp_path / "penstock").chmod(0o755)
    for name in ("bad", "shop"):
        (tmp_path / "flows" / name).mkdir(parents=True)
    (tmp_path / "flows" / "README").write_text("no project")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PENSTOCK_FLOWS": str(tmp_path / "flows")}

    def ran(*words: str) -> list[str]:
        command = ["sh", str(DEPLOY / "entrypoint.sh"), *words]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout.splitlines()

    deployed = [f"deploy {tmp_path}/flows/{name} --broker MAIN --wait 0" for name in ("bad", "shop")]
    assert ran("broker", "MAIN", "--qmgr", "QM1") == [*deployed, "broker start MAIN --qmgr QM1"]
    assert ran("broker", "--qmgr", "QM1")[1].endswith("--broker default --wait 0")
    assert ran("web", "--port", "8470") == ["web start --port 8470"]
    assert ran("version") == ["version"]


def test_prometheus_asks_the_services_at_the_ports_that_they_are_given() -> None:
    (settings,) = documents("prometheus/prometheus.yml")
    (compose,) = documents("compose.yaml")
    asked = settings["scrape_configs"][0]["static_configs"][0]["targets"]
    assert {each.partition(":")[0] for each in asked} == {"qmgr", "broker", "web"}
    script = (DEPLOY / "entrypoint.sh").read_text()
    for target in asked:
        service, _, port = target.partition(":")
        assert port in compose["services"][service]["command"] or f"--metrics-port {port}" in script


def commands() -> Iterator[list[str]]:
    for unit in (DEPLOY / "systemd").iterdir():
        yield from (line.split() for line in re.findall(r"^ExecStart=(.*)", unit.read_text(), re.MULTILINE))
    for line in re.findall(r"(penstock (?:qmgr|broker|web) start.*)", (DEPLOY / "entrypoint.sh").read_text()):
        yield line.removesuffix(" ;;").split()
    (compose,) = documents("compose.yaml")
    given = [each["command"] for each in compose["services"].values() if "command" in each]
    (stateful,) = (each for each in documents("kubernetes/penstock.yaml") if each["kind"] == "StatefulSet")
    given += [each["args"] for each in stateful["spec"]["template"]["spec"]["containers"]]
    yield from (["penstock", words[0], "start", *words[1:]] for words in given)


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_commands_have_the_options_that_they_are_given(words: list[str]) -> None:
    import typer.main

    from penstock.cli.main import application

    group, verb = words[1:3]
    command = typer.main.get_command(application([group])).commands[group].commands[verb]  # type: ignore[attr-defined]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_accepts_the_units() -> None:
    units = sorted(map(str, (DEPLOY / "systemd").iterdir()))
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "penstock" in line and "not executable" not in line]
    assert ours == []


def test_the_unit_makes_the_folder_of_local_sockets() -> None:
    unit = (DEPLOY / "systemd" / "penstock-qmgr@.service").read_text()
    made = re.search(r"^RuntimeDirectory=(.*)", unit, re.MULTILINE)
    assert made is not None
    assert f"/run/{made[1]}" == LocalSocketSettings().folder


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool, of Debian's package prometheus")
@pytest.mark.parametrize("words", ["rules prometheus/alerts.yml", "config prometheus/prometheus.yml"])
def test_promtool_accepts_rules_and_settings(words: str) -> None:
    kind, path = words.split()
    done = subprocess.run(
        ["promtool", "check", kind, str(DEPLOY / path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_kubernetes_files_fit_their_schemas() -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="needs kubernetes-validate, of PyPI")
    for each in documents("kubernetes/penstock.yaml"):
        validate.validate(each, validate.latest_version(), strict=True)


def test_the_compose_file_fits_its_schema() -> None:
    check = shutil.which("check-jsonschema", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if check is None:
        pytest.skip("needs check-jsonschema, of PyPI")
    words = [check, "--builtin-schema", "vendor.compose-spec", str(DEPLOY / "compose.yaml")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_units_report_when_they_are_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    from penstock.cli.service_notice import ready

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0penstock-test-notify")
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", "@penstock-test-notify")
        ready("queue manager QM1 runs")
        assert manager.recv(1024).split(b"\n")[:2] == [b"READY=1", b"STATUS=queue manager QM1 runs"]
    ready("nobody listens")
