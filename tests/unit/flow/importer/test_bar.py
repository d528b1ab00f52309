"""BAR files: applications in zips in a zip, and what strangers put into them."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from penstock.flow.broker.deployments import deploy
from penstock.flow.broker.home import broker_home
from penstock.flow.broker.job import Job
from penstock.flow.importer import bar as bar_files
from penstock.flow.importer.python_writer import python_of
from penstock.flow.open_project import opened
from penstock.model.errors import MQError
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from pathlib import Path

FLOW = FlowFile().node("ComIbmMQInput", "In", queueName="IN").node("ComIbmMQOutput", "Out", queueName="OUT")
FLOW_TEXT = FLOW.wire("In.out", "Out.in").text()
BROKER = (
    '<Broker><CompiledMessageFlow name="a.F">'
    '<ConfigurableProperty override="OTHER" uri="a.F#Out.queueName"/></CompiledMessageFlow></Broker>'
)


def zipped(files: dict[str, bytes | str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def write_bar(tmp_path: Path, files: dict[str, bytes | str]) -> Path:
    path = tmp_path / "Test.bar"
    path.write_bytes(zipped(files))
    return path


def test_flows_of_applications_are_found_with_their_overrides(tmp_path: Path) -> None:
    app = zipped({"a\\F.msgflow": FLOW_TEXT, "META-INF/broker.xml": BROKER})
    path = write_bar(tmp_path, {"App.appzip": app, "META-INF/manifest.mf": "x"})
    with opened(path) as project:
        assert list(project.flows) == ["a.F"]
        assert project.flow("a.F").node("Out").properties()["queue"] == "OTHER"


def test_a_library_in_the_bar_gives_its_subflows(tmp_path: Path) -> None:
    sub = FlowFile().end("FCMSource", "Input").end("FCMSink", "Output").wire("Input.out", "Output.in").text()
    user = FlowFile().node("ComIbmMQInput", "In", queueName="IN").node("Sub.subflow", "Sub")
    app = zipped({"F.msgflow": user.wire("In.out", "Sub.Input").text()})
    library = zipped({"Sub.subflow": sub, "library.descriptor": "<x/>"})
    path = write_bar(tmp_path, {"App.appzip": app, "Lib.shlibzip": library})
    with opened(path) as project:
        assert type(project.flow("F").node("Sub")).__name__ == "Subflow"


def test_an_old_bar_has_its_flows_at_the_top(tmp_path: Path) -> None:
    with opened(write_bar(tmp_path, {"a/F.msgflow": FLOW_TEXT, "b.F.cmf": "x"})) as project:
        assert list(project.flows) == ["a.F"]
        assert [name for name, _ in project.left] == ["b.F.cmf"]


@pytest.mark.parametrize(
    "name", ["../F.msgflow", "/F.msgflow", "a/../../F.msgflow", "..\\F.msgflow", "C:/F.msgflow"]
)
def test_names_cannot_lead_out(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "deep" / "folder"
    folder.mkdir(parents=True)
    unpacked = bar_files.unpack(write_bar(tmp_path, {name: FLOW_TEXT}), folder)
    assert unpacked.files == []
    assert len(unpacked.left) == 1
    assert list(tmp_path.rglob("*.msgflow")) == []


@pytest.mark.parametrize("name", ["...appzip", "..appzip", "a/...libzip", "x/../...shlibzip"])
def test_names_of_inner_zips_cannot_lead_out(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "deep" / "folder"
    folder.mkdir(parents=True)
    unpacked = bar_files.unpack(write_bar(tmp_path, {name: zipped({"F.msgflow": FLOW_TEXT})}), folder)
    assert unpacked.files == []
    assert [left for left, _ in unpacked.left] == [name]
    assert list(tmp_path.rglob("*.msgflow")) == list(tmp_path.rglob("*.descriptor")) == []


def test_python_is_never_unpacked(tmp_path: Path) -> None:
    files = {"flows/x.py": "raise SystemExit(1)", "nodes/y.py": "raise SystemExit(1)", "x.so": "x"}
    path = write_bar(tmp_path, {**files, "F.msgflow": FLOW_TEXT, "App.appzip": zipped(dict(files))})
    with opened(path) as project:
        assert list(project.flows) == ["F"]
        assert not list(project.folder.rglob("*.py"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"\x00" * 100])
def test_a_file_that_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "Bad.bar").write_bytes(content)
    with pytest.raises(MQError) as raised, opened(tmp_path / "Bad.bar"):
        pass
    assert raised.value.reason == 8361


def test_a_bomb_is_stopped_while_it_unpacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bar_files, "UNPACKED_BYTES_MAX", 1 << 20)
    path = write_bar(tmp_path, {"bomb.xml": b"0" * (4 << 20)})
    with pytest.raises(MQError, match="unpacks to more"), opened(path):
        pass


def test_too_many_entries_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bar_files, "ENTRIES_MAX", 10)
    path = write_bar(tmp_path, {f"{n}.xml": "x" for n in range(11)})
    with pytest.raises(MQError, match="more than 10 files"), opened(path):
        pass


def test_a_bar_is_deployed_with_overrides_on_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    app = zipped({"a\\F.msgflow": FLOW_TEXT, "META-INF/broker.xml": BROKER})
    path = write_bar(tmp_path, {"App.appzip": app})
    home = broker_home("default", create=True)
    made, _ = deploy(home, path, "main", 1, {"a.F#Out.queueName": "THIRD", "a.F#In.queue": "ORDERS"})
    assert (made.project, list(made.flows)) == ("Test", ["a.F"])
    folder = home.projects / made.project / str(made.version)
    flow = Job(str(folder), "a.F", "QM1", made.properties).compiled().flow
    assert [flow.node(name).properties()["queue"] for name in ("In", "Out")] == ["ORDERS", "THIRD"]


def test_a_bar_whose_overrides_cannot_be_read_is_not_deployed(tmp_path: Path) -> None:
    """Without them its flows would put to the queues that the developers had."""
    path = write_bar(tmp_path, {"a/F.msgflow": FLOW_TEXT, "META-INF/broker.xml": "<Broker><unclosed>"})
    home = broker_home("b", create=True)
    with pytest.raises(MQError, match=r"Test cannot be deployed\nMETA-INF/broker.xml, line 1"):
        deploy(home, path, "main", 1, {})


def test_a_flow_with_an_error_does_not_stop_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "three"
    folder.mkdir()
    (folder / "F.msgflow").write_text(FLOW_TEXT)
    (folder / "G.msgflow").write_text("")
    FlowFile().node("ComIbmMQInput", "In").write(folder / "H.msgflow")
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "G.msgflow").write_text("")
    home = broker_home("b", create=True)

    made, _ = deploy(home, folder, "main", 1, {})
    assert list(made.flows) == ["F"]
    assert made.left[0] == "G.msgflow, line 1: the file is empty"
    assert made.left[1].startswith("H: error: In: ")

    less, _ = deploy(home, folder, "main", 1, {}, skip=["H"])
    assert (less.left, less.skipped) == (["G.msgflow, line 1: the file is empty"], ["H"])
    with pytest.raises(MQError, match=r"--skip Q: project three has no such flow"):
        deploy(home, folder, "main", 1, {}, skip=["Q"])
    with pytest.raises(MQError, match=r"none cannot be deployed\nG.msgflow, line 1: the file is empty"):
        deploy(home, tmp_path / "none", "main", 1, {})

    told = CliRunner().invoke(application(), ["deploy", str(folder), "--broker", "b", "--skip", "H"])
    assert told.exit_code == 1
    assert "left out: G.msgflow, line 1: the file is empty" in told.stdout


def test_a_deployment_tells_what_of_it_does_not_run(tmp_path: Path) -> None:
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN").node("ComIbmIMSRequest", "IMS")
    path = write_bar(tmp_path, {"F.msgflow": file.wire("In.out", "IMS.in").text(), "G.cmf": "x"})
    made, _ = deploy(broker_home("b", create=True), path, "main", 1, {})
    assert made.notes == [
        "G.cmf: a compiled flow: deploy a BAR that holds the flow files themselves",
        "F: unavailable: IMS: ComIbmIMSRequest: there is no connection to IMS here",
    ]


def test_a_bar_says_that_a_flow_is_coordinated(tmp_path: Path) -> None:
    broker = BROKER.replace("Out.queueName", "coordinatedTransaction").replace("OTHER", "yes")
    path = write_bar(tmp_path, {"a/F.msgflow": FLOW_TEXT, "META-INF/broker.xml": broker})
    with opened(path) as project:
        flow = project.flow("a.F")
        assert flow.coordinated
        assert not flow.notes
        assert "coordinated=True" in python_of(flow)


def test_an_archive_inside_that_is_none_is_named(tmp_path: Path) -> None:
    path = write_bar(tmp_path, {"F.msgflow": FLOW_TEXT, "App.appzip": b"no zip"})
    with pytest.raises(MQError, match=r"Test.bar, App: File is not a zip file"), opened(path):
        pass


def test_a_bar_without_flows_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(MQError, match=r"Test.bar holds no flow"), opened(write_bar(tmp_path, {"a.txt": ""})):
        pass


def test_instances_that_a_bar_asks_for_run_beside_the_first(tmp_path: Path) -> None:
    asked = BROKER.replace(
        "</CompiledMessageFlow>",
        '<ConfigurableProperty override="3" uri="a.F#additionalInstances"/></CompiledMessageFlow>',
    )
    app = zipped({"a/F.msgflow": FLOW_TEXT, "META-INF/broker.xml": asked})
    path = write_bar(tmp_path, {"App.appzip": app})
    with opened(path) as project:
        flow = project.flow("a.F")
        assert (flow.additional_instances, flow.notes) == (3, [])
        assert "additional_instances=3" in python_of(flow)
    home = broker_home("b", create=True)
    made, _ = deploy(home, path, "default", None, {})
    assert (made.instances_of("a.F"), made.instances) == (4, 1)
    said, _ = deploy(home, path, "default", 2, {})
    assert said.instances_of("a.F") == 2  # whoever deploys decides
