"""PythonCompute: functions and classes, terminals, copies, and what fails."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Kind, nodes
from penstock.flow.python_modules import PythonModules
from penstock.tree import Path as NodeContext
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.flow.nodes.python_compute import Call

TOTAL = NodeContext("XMLNSC", "Order", "Total")
ORDER = b"<Order><Total>5</Total></Order>"
DOUBLED = b"<Order><Total>10</Total></Order>"


def computed(function: Any, **properties: Any) -> Flow:
    flow = Flow("computed")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    compute = flow.add(nodes.PythonCompute(function, **properties))
    start.out >> compute.in_
    for terminal, queue in (("out", "OUT"), ("alternate", "OUT2"), ("failure", "FAILED")):
        compute.terminal(terminal) >> flow.add(nodes.MQOutput(queue)).in_
    return flow


def double(call: Call) -> None:
    call.message.set(TOTAL, int(call.message.get(TOTAL)) * 2)


class Doubler:
    """As a class: made once, called for each message."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def evaluate(self, call: Call) -> bool:
        double(call)
        return True


@pytest.mark.parametrize("function", [double, Doubler])
def test_a_function_or_class_changes_a_copy(qm: Any, run: Callable[..., Any], function: Any) -> None:
    qm.put("IN", ORDER)
    run(computed(function))
    assert bodies(qm, "OUT") == [DOUBLED]


def test_a_module_of_the_project_is_found(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "billing_for_test.py").write_text("def keep(call): return 'alternate'\n")
    qm.put("IN", ORDER)
    run(computed("billing_for_test:keep"))
    assert bodies(qm, "OUT2") == [ORDER]


def test_modules_of_python_and_of_a_venv_are_everybodys(tmp_path: Path) -> None:
    packages = tmp_path / ".venv" / "packages"
    packages.mkdir(parents=True)
    (packages / "vendored_for_test.py").write_text("")
    (tmp_path / "json.py").write_text("def dumps(value): return 'mine'")
    (tmp_path / "calling_for_test.py").write_text(
        f"import json, sys\nsys.path.append({str(packages)!r})\nimport vendored_for_test\n"
    )

    module = PythonModules(tmp_path).load("calling_for_test")

    sys.path.remove(str(packages))
    assert module.json is json is sys.modules["json"]
    assert sys.modules.pop("vendored_for_test") is module.vendored_for_test
    assert "calling_for_test" not in sys.modules


@pytest.mark.parametrize(
    ("answer", "queue"), [(True, "OUT"), (None, "OUT"), ("alternate", "OUT2"), (False, None)]
)
def test_the_answer_chooses_the_terminal(
    qm: Any, run: Callable[..., Any], answer: object, queue: str | None
) -> None:
    qm.put("IN", ORDER)
    run(computed(lambda call: answer))
    for each in ("OUT", "OUT2", "FAILED"):
        assert bodies(qm, each) == ([ORDER] if each == queue else [])


def test_send_may_be_called_many_times(qm: Any, run: Callable[..., Any]) -> None:
    def twice(call: Call) -> bool:
        for total in (1, 2):
            call.message.set(TOTAL, total)
            call.send("alternate")
        return False

    qm.put("IN", ORDER)
    run(computed(twice))
    assert bodies(qm, "OUT2") == [b"<Order><Total>1</Total></Order>", b"<Order><Total>2</Total></Order>"]


def test_an_exception_goes_to_failure_with_the_message_as_it_came(qm: Any, run: Callable[..., Any]) -> None:
    def fail(call: Call) -> None:
        double(call)
        raise KeyError("nothing")

    qm.put("IN", ORDER)
    run(computed(fail))
    assert bodies(qm, "FAILED") == [ORDER]


def test_the_kind_is_an_effect_unless_the_flow_says_otherwise() -> None:
    assert CompiledFlow(computed(double)).kind is Kind.EFFECT
    assert CompiledFlow(computed(double, kind="pure")).kind is Kind.QUEUE


def test_what_cannot_be_imported_is_named(qm: Any, run: Callable[..., Any]) -> None:
    with pytest.raises(Exception, match="node nothing: cannot import no_such_module:nothing"):
        run(computed("no_such_module:nothing"))
    with pytest.raises(Exception, match="not of the form module:function"):
        CompiledFlow(computed("no_such_module"))
