"""All mistakes of a project's Python are reported at once, each with its line; none is told twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.flow import Project
from penstock.flow.broker.deployments import checked
from penstock.flow.checking import check_project

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "from penstock.flow import Flow, nodes\n"
WRONG = (
    HEAD
    + """
flow = Flow("wrong")
start = flow.add(nodes.MQInput("IN", domian="XML"))
middle = flow.add(nodes.Compute(module="M", mode="sideways"))
end = flow.add(nodes.MQOutput("OUT", perhaps=True))
start.out >> middle.in_
middle.out >> end.in_
middle.nowhere >> middle.in_
print(unheard_of)
"""
)
GOOD = HEAD + 'flow = Flow("good")\nflow.add(nodes.MQInput("IN"))\n'


def project(folder: Path, **files: str) -> Project:
    (folder / "flows").mkdir()
    for name, text in files.items():
        (folder / "flows" / f"{name}.py").write_text(text)
    return Project(folder)


def test_every_mistake_of_every_file(tmp_path: Path) -> None:
    found = project(tmp_path, a_wrong=WRONG, b_not_python="flow = (\n", c_good=GOOD, d_zero="1 / 0\n")

    reports = {report.name: [each.text for each in report.errors] for report in check_project(found)}

    assert list(reports) == ["good", "flows/a_wrong.py", "flows/b_not_python.py", "flows/d_zero.py"]
    assert reports["good"] == []
    wrong = [
        text.partition("a_wrong.py, ")[2] for text in reports["flows/a_wrong.py"] if "a_wrong.py" in text
    ]
    assert [text.partition(":")[0] for text in wrong] == ["line 4", "line 6", "line 9", "line 10"]
    assert wrong[0].endswith("unexpected keyword argument 'domian'; did you mean 'domain'?")
    assert "perhaps" in wrong[1]
    assert "nowhere" in wrong[2]
    assert "unheard_of" in wrong[3]
    assert "never closed" in reports["flows/b_not_python.py"][0]
    assert "line 1: ZeroDivisionError" in reports["flows/d_zero.py"][0]


def test_a_good_flow_beside_a_wrong_file_is_found_and_a_missing_one_says_why(tmp_path: Path) -> None:
    found = project(tmp_path, wrong="1 / 0\n", good=GOOD)

    assert found.flow("good").name == "good"
    with pytest.raises(penstock.MQError, match=r"wrong\.py, line 1: ZeroDivisionError"):
        found.flow("other")


def test_a_deployment_tells_them_too(tmp_path: Path) -> None:
    project(tmp_path, first="1 / 0\n", good=GOOD, second="import no_such_module\n")

    told = "\n".join(checked(tmp_path, {}).left)

    assert "first.py, line 1: ZeroDivisionError" in told
    assert "second.py, line 1: ModuleNotFoundError" in told


def test_a_module_that_no_flow_needs_is_a_warning(tmp_path: Path) -> None:
    found = project(tmp_path, good=GOOD)
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "later.py").write_text("def f(:\n")

    findings = [str(each) for report in check_project(found) for each in report.findings]

    assert len(findings) == 1
    assert findings[0].startswith("warning: python/later.py: ")
    assert "line 1" in findings[0]


ESQL = """CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN SET OutputRoot = nothing_declared; RETURN TRUE; END; END MODULE;
"""


def test_mistakes_behind_a_file_that_does_not_load_are_reported_too(tmp_path: Path) -> None:
    found = project(tmp_path, wrong=WRONG.replace(', mode="sideways"', ""))
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "m.esql").write_text(ESQL)

    (report,) = check_project(found)

    assert [each.node for each in report.errors] == [*["flows/wrong.py"] * 4, "M"]
    assert "nothing_declared" in report.errors[-1].text


def test_esql_is_checked_when_no_flow_can_be_read(tmp_path: Path) -> None:
    found = project(tmp_path, wrong="flow = (\n")
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "m.esql").write_text(ESQL)

    reports = check_project(found)

    assert [report.name for report in reports] == ["flows/wrong.py", "esql"]
    assert "nothing_declared" in reports[-1].errors[0].text


def test_a_misspelt_node_suggests_the_nearest(tmp_path: Path) -> None:
    text = HEAD + 'flow = Flow("wrong")\nflow.add(nodes.MQOutputt("OUT"))\nflow.add(nodes.Zebra())\n'
    with pytest.raises(penstock.MQError) as raised:
        project(tmp_path, wrong=text).flow("wrong")
    first, second = raised.value.fields["mistakes"]
    assert first.endswith("has no attribute 'MQOutputt'; did you mean 'MQOutput'?")
    assert second.endswith("has no attribute 'Zebra'")
