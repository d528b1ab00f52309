"""Compute: modes, terminals, PROPAGATE, labels, failures, and how far a module reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Kind, Node, Project, nodes
from penstock.tree import MISSING
from penstock.tree import Path as TreePath
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.flow import Assembly, NodeContext

BATCHES = pytest.mark.parametrize("batch", [1, 100])
ORDER = b"<a>1</a>"
TERMINALS = {
    "out": "OUT",
    "out1": "OUT2",
    "out2": "OUT3",
    "out3": "DEAD",
    "out4": "CAUGHT",
    "failure": "FAILED",
}


def module(body: str, more: str = "") -> str:
    return f"""
{more}
CREATE COMPUTE MODULE M
  CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
    {body}
  END;
END MODULE;
"""


def computing(folder: Path, text: str, *behind: Node, **properties: Any) -> Flow:
    (folder / "esql").mkdir(exist_ok=True)
    (folder / "esql" / "m.esql").write_text(text)
    flow = Flow("computing", properties={"greeting": "hello"})
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    compute = flow.add(nodes.Compute("esql/m.esql", module="M", **properties))
    start.out >> compute.in_
    for terminal, queue in TERMINALS.items():
        place = compute.terminal(terminal)
        for each in behind if terminal == "out" else ():
            flow.add(each)
            place >> each.in_
            place = each.out
        place >> flow.add(nodes.MQOutput(queue)).in_
    return flow


class Seeing(Node):
    """Keeps a field of each tree."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[tuple[Any, ...]] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        found = (
            assembly.message.get(TreePath("XMLNSC", "a")),
            assembly.local_environment.get(TreePath("mark")),
            assembly.exception_list.get(TreePath("mark")),
        )
        self._seen.append(tuple(None if each is MISSING else each for each in found))
        at.send("out", assembly)


@BATCHES
@pytest.mark.parametrize(
    ("mode", "seen"),
    [
        ("message", (2, None, None)),
        ("destination", ("1", "L", None)),
        ("destinationAndMessage", (2, "L", None)),
        ("exception", ("1", None, "E")),
        ("exceptionAndMessage", (2, None, "E")),
        ("exceptionAndDestination", ("1", "L", "E")),
        ("all", (2, "L", "E")),
    ],
)
def test_modes(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int, mode: str, seen: tuple[Any, ...]
) -> None:
    body = """
    SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.a = 2;
    SET OutputLocalEnvironment.mark = 'L'; SET OutputExceptionList.mark = 'E';
    RETURN TRUE;"""
    seeing = Seeing()
    qm.put("IN", ORDER)
    run(computing(tmp_path, module(body), seeing, mode=mode), batch=batch)
    assert seeing._seen == [seen]


@BATCHES
@pytest.mark.parametrize(("answer", "out"), [("TRUE", [b"<b/>"]), ("FALSE", []), ("UNKNOWN", [])])
def test_what_main_returns(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int, answer: str, out: list[bytes]
) -> None:
    qm.put("IN", ORDER)
    run(
        computing(
            tmp_path,
            module(f"SET OutputRoot.XMLNSC.b = NULL; CREATE FIELD OutputRoot.XMLNSC.b; RETURN {answer};"),
        ),
        batch=batch,
    )
    assert bodies(qm, "OUT") == out


@BATCHES
@pytest.mark.parametrize("terminal", ["out", "out1", "out2", "out3", "out4"])
def test_propagate_to_every_terminal(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int, terminal: str
) -> None:
    qm.put("IN", ORDER)
    body = f"SET OutputRoot = InputRoot; PROPAGATE TO TERMINAL '{terminal}'; RETURN FALSE;"
    run(computing(tmp_path, module(body)), batch=batch)
    for name, queue in TERMINALS.items():
        assert bodies(qm, queue) == ([ORDER] if name == terminal else [])


@pytest.mark.parametrize(("number", "terminal"), [(-2, ""), (-1, "failure"), (0, "out"), (3, "out3")])
def test_propagate_by_number(
    qm: Any, run: Callable[..., Any], tmp_path: Path, number: int, terminal: str
) -> None:
    qm.put("IN", ORDER)
    body = f"SET OutputRoot = InputRoot; PROPAGATE TO TERMINAL {number}; RETURN FALSE;"
    run(computing(tmp_path, module(body)))
    for name, queue in TERMINALS.items():
        assert bodies(qm, queue) == ([ORDER] if name == terminal else [])


def test_propagate_to_a_terminal_that_is_not_there_fails(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    qm.put("IN", ORDER)
    body = "SET OutputRoot = InputRoot; DECLARE t CHARACTER 'out7'; PROPAGATE TO TERMINAL t; RETURN TRUE;"
    run(computing(tmp_path, module(body)))
    assert (bodies(qm, "FAILED"), bodies(qm, "OUT")) == ([ORDER], [])


@BATCHES
def test_propagate_empties_the_output_unless_delete_none(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int
) -> None:
    qm.put("IN", ORDER)
    body = """
    SET OutputRoot = InputRoot; PROPAGATE DELETE NONE;
    SET OutputRoot.XMLNSC.a = 2; PROPAGATE;
    SET OutputRoot.XMLNSC.c = 3; PROPAGATE TO TERMINAL 'out1';
    RETURN FALSE;"""
    run(computing(tmp_path, module(body)), batch=batch)
    assert bodies(qm, "OUT") == [ORDER, b"<a>2</a>"]
    assert bodies(qm, "OUT2") == [b"<c>3</c>"]


@BATCHES
def test_propagate_to_a_label(qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int) -> None:
    qm.put("IN", ORDER)
    flow = computing(
        tmp_path, module("SET OutputRoot = InputRoot; PROPAGATE TO LABEL 'there'; RETURN FALSE;")
    )
    flow.add(nodes.Label("there")).out >> flow.add(nodes.MQOutput("BACKOUT")).in_
    run(flow, batch=batch)
    assert bodies(qm, "BACKOUT") == [ORDER]


@BATCHES
def test_an_unknown_label_and_a_throw_go_to_failure(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int
) -> None:
    for statement in ("PROPAGATE TO LABEL 'nowhere';", "THROW USER EXCEPTION VALUES('no');"):
        qm.put("IN", ORDER)
        run(computing(tmp_path, module(f"{statement} RETURN TRUE;")), batch=batch)
        assert bodies(qm, "FAILED") == [ORDER]


@BATCHES
def test_user_defined_properties_are_external_variables(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int
) -> None:
    declared = "DECLARE greeting EXTERNAL CHARACTER 'default';"
    flow = computing(tmp_path, module("SET OutputRoot.XMLNSC.g = greeting; RETURN TRUE;", declared))
    qm.put("IN", ORDER)
    run(flow, batch=batch)
    flow.set("greeting", "good day")
    qm.put("IN", ORDER)
    run(flow, batch=batch)
    assert bodies(qm, "OUT") == [b"<g>hello</g>", b"<g>good day</g>"]


# -- how far a module reaches ----------------------------------------------------------------

INSERTING = "CREATE PROCEDURE P() BEGIN INSERT INTO Database.T (x) VALUES (1); END;"
READING = "CREATE FUNCTION F() RETURNS INTEGER BEGIN RETURN THE (SELECT ITEM t.x FROM Database.T AS t); END;"


@pytest.mark.parametrize(
    ("body", "more", "kind"),
    [
        ("DELETE FIELD Environment.x; RETURN TRUE;", "", Kind.PURE),
        ("DECLARE r ROW; SET r.a[] = SELECT t.x FROM Database.T AS t; RETURN TRUE;", "", Kind.READS),
        ("DECLARE i INTEGER F(); DELETE FIELD Environment.x; RETURN TRUE;", READING, Kind.READS),
        ("DECLARE i INTEGER F(); CALL P(); RETURN TRUE;", READING + INSERTING, Kind.EFFECT),
        ("IF FALSE THEN CALL P(); END IF; RETURN TRUE;", INSERTING, Kind.EFFECT),
        ("RETURN TRUE;", INSERTING + READING, Kind.PURE),  # nobody calls them
        ("UPDATE Database.T AS t SET x = 1; RETURN TRUE;", "", Kind.EFFECT),
        ("DELETE FROM Database.T AS t; RETURN TRUE;", "", Kind.EFFECT),
        ("PASSTHRU('DROP TABLE T'); RETURN TRUE;", "", Kind.EFFECT),
        ("COMMIT; RETURN TRUE;", "", Kind.EFFECT),
        ("EVAL('SET Environment.x = 1;'); RETURN TRUE;", "", Kind.EFFECT),
        (
            "RETURN G();",
            "CREATE FUNCTION G() RETURNS BOOLEAN LANGUAGE JAVA EXTERNAL NAME 'a.b.c';",
            Kind.EFFECT,
        ),
    ],
)
def test_the_kind_is_what_the_module_does(tmp_path: Path, body: str, more: str, kind: Kind) -> None:
    flow = computing(tmp_path, module(body, more), data_source="DB")
    compiled = CompiledFlow(flow, Project(tmp_path))
    assert flow.node("M").reach(compiled.project) is kind
    assert compiled.kind is max(kind, Kind.QUEUE)


def test_routines_of_other_files_count(tmp_path: Path) -> None:
    text = "BROKER SCHEMA s\nPATH other;\n" + module("CALL P(); RETURN TRUE;")
    flow = computing(tmp_path, text)
    (tmp_path / "esql" / "p.esql").write_text(f"BROKER SCHEMA other\n{INSERTING}")
    flow.node("M").set_property("esql", "")
    assert CompiledFlow(flow, Project(tmp_path)).kind is Kind.EFFECT


# -- at build time ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"mode": "most"}, "M: mode 'most' is not one of"),
        ({"transaction": "most"}, "M: transaction 'most' is not one of"),
    ],
)
def test_properties(tmp_path: Path, properties: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        CompiledFlow(computing(tmp_path, module("RETURN TRUE;"), **properties), Project(tmp_path))


def test_missing_modules_and_files_name_the_node(tmp_path: Path) -> None:
    flow = computing(tmp_path, module("RETURN TRUE;"))
    flow.node("M").set_property("module", "Other")
    with pytest.raises(Exception, match="error: M: module Other: there is none of that name"):
        CompiledFlow(flow, Project(tmp_path))
    flow.node("M").set_property("esql", "esql/none.esql")
    with pytest.raises(Exception, match=r"error: M: there is no ESQL file .*none\.esql"):
        CompiledFlow(flow, Project(tmp_path))


def test_esql_that_does_not_compile_names_the_node(tmp_path: Path) -> None:
    flow = computing(tmp_path, module("RETURN TRUE"))
    with pytest.raises(Exception, match="error: M: the ESQL has"):
        CompiledFlow(flow, Project(tmp_path))


@BATCHES
def test_a_label_may_lead_back_into_the_node_that_propagates(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int
) -> None:
    text = module(
        """
        SET OutputRoot = InputRoot;
        IF Environment.again IS NULL THEN
          SET Environment.again = TRUE;
          PROPAGATE TO LABEL 'back' DELETE NONE;
          SET OutputRoot.XMLNSC.a = 'outer';
          PROPAGATE TO TERMINAL 'out1';
          RETURN FALSE;
        END IF;
        SET OutputRoot.XMLNSC.a = 'inner';
        RETURN TRUE;
        """
    )
    flow = computing(tmp_path, text)
    flow.add(nodes.Label("back")).out >> next(each for each in flow.nodes if each.name == "M").in_
    qm.put("IN", ORDER)
    run(flow, batch=batch)
    assert bodies(qm, "OUT") == [b"<a>inner</a>"]
    assert bodies(qm, "OUT2") == [b"<a>outer</a>"]
