"""`penstock flow trace`: runs one message through a flow and prints what every node changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.flow.testing.rig import Seen

FlowArgument = Annotated[str, typer.Argument(help="the flow's name", autocompletion=completion.flows)]
MessageArgument = Annotated[
    Path | None, typer.Argument(help="a file with the body of the message, request or input file")
]


def trace(
    flow: FlowArgument,
    message: MessageArgument = None,
    project: Annotated[Path, typer.Option("--project", "-p", help="the project's folder")] = Path(),
    input: Annotated[str, typer.Option(help="the input node, when there are several")] = "",
    ccsid: Annotated[
        int | None,
        typer.Option(help="of a message: its character set (MQMD.CodedCharSetId); 1208 by default"),
    ] = None,
    encoding: Annotated[
        int | None, typer.Option(help="of a message: its numbers (MQMD.Encoding); 785 for z/OS")
    ] = None,
    method: Annotated[str, typer.Option(help="of the request to an HTTPInput")] = "",
    path: Annotated[str, typer.Option(help="of that request, with its query; the node's by default")] = "",
    header: Annotated[list[str] | None, typer.Option(help="NAME:VALUE of that request")] = None,
    after: Annotated[
        float | None, typer.Option(help="seconds that pass first, for timers; their interval by default")
    ] = None,
    database: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE: a data source, and SQL that prepares it")
    ] = None,
    test: Annotated[
        Path | None, typer.Option(help="a file of tests: run a case of it instead of a message")
    ] = None,
    case: Annotated[str, typer.Option(help="the name of that case; the first by default")] = "",
    full: Annotated[bool, typer.Option("--full", help="show all trees, not what changed")] = False,
    save_test: Annotated[
        Path | None, typer.Option(help="add the run to a file of tests, such as tests/orders.yaml")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run one message through a flow, isolated, and show what every node changed."""
    from penstock.cli.printing import show_json
    from penstock.flow.testing.cases import named_queues, run_in
    from penstock.flow.testing.recording import recorded_case, save_case
    from penstock.flow.testing.rig import Rig

    if test is not None:
        _refuse_beside_test(message, input, ccsid, encoding, method, path, header, after, database)
        given, name = _case(test, case)
    else:
        request = {"method": method, "path": path, "headers": _headers(header or [])}
        details = {"input": input, "ccsid": ccsid, "encoding": encoding, **request}
        given, name = _given(message, details, after, database or [])
    with Rig(flow, project, queues=named_queues(given)) as rig:
        run_in(rig, given, test or message or Path())
        wires = _wires(rig.wires, full)
        recorded = recorded_case(rig, name, given)
    if as_json:
        show_json({"flow": flow, "wires": wires, **_outcome(recorded)})
    else:
        _show(wires, _outcome(recorded))
    if save_test is not None:
        save_case(save_test, flow, recorded)
        if not as_json:
            print(f"The run is test {name!r} of {save_test} now.")


def _refuse_beside_test(*given: Any) -> None:
    """Refuse a message, or what describes one: the case has its own."""
    if any(each not in (None, "") for each in given):
        raise typer.BadParameter("--test takes the message and its properties from the case: give no others")


def _given(
    message: Path | None, details: dict[str, Any], after: float | None, databases: list[str]
) -> tuple[dict[str, Any], str]:
    """Return a case from the command line, and its name."""
    from penstock.flow.testing.recording import as_content

    body: dict[str, Any] = {} if message is None else as_content(message.read_bytes())
    body |= {key: value for key, value in details.items() if value}
    if after is not None:
        body["after"] = after
    sources = {}
    for each in databases:
        name, sign, file = each.partition("=")
        if not sign:
            raise typer.BadParameter(f"--database is NAME=FILE, not {each}")
        sources[name] = _statements(Path(file).read_text("utf-8"))
    name = message.stem if message is not None else details["input"] or "run"
    return {"in": [body]} | ({"database": sources} if sources else {}), name


def _statements(script: str) -> list[str]:
    """Return the statements of a script; SQLite finds their ends."""
    import sqlite3

    found, statement = [], ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            found.append(statement.strip())
            statement = ""
    return [*found, statement.strip()] if statement.strip() else found


def _case(test: Path, name: str) -> tuple[dict[str, Any], str]:
    from penstock.flow.testing.cases import read_cases

    cases = read_cases(test)
    shared = {key: cases[key] for key in ("queues", "mqsc") if key in cases}
    for each in cases["tests"]:
        if name in ("", str(each.get("name", ""))):
            queues = [*shared.get("queues", ()), *(each.get("queues") or ())]
            return {**shared, **each, "queues": queues}, str(each.get("name", "unnamed"))
    known = ", ".join(str(each.get("name")) for each in cases["tests"]) or "none"
    raise typer.BadParameter(f"{test} has no case {name!r}; there are: {known}")


def _headers(given: list[str]) -> dict[str, str]:
    found = {}
    for each in given:
        name, colon, value = each.partition(":")
        if not colon:
            raise typer.BadParameter(f"--header is NAME:VALUE, not {each}")
        found[name.strip()] = value.strip()
    return found


def _wires(seen: list[Seen], full: bool) -> list[dict[str, Any]]:
    """Return the trees of every wire: whole, or only the changes that its node made."""
    from penstock.flow.testing.tree_changes import Journey

    journey = Journey()
    return [_facts(each) if full else {"wire": each.place, "changes": journey.changes(each)} for each in seen]


def _facts(seen: Seen) -> dict[str, Any]:
    trees = {
        "message": seen.message,
        "local_environment": seen.local_environment,
        "exception_list": seen.exception_list,
        "environment": seen.environment,
    }
    return {"wire": seen.place} | {name: text for name, tree in trees.items() if (text := _text(tree))}


def _text(tree: Any) -> str:
    """Return a tree as text, with the reason in place of a folder that cannot be parsed."""
    from penstock.model.errors import MQError
    from penstock.tree.dump import dump_field

    folders = []
    for folder in tree:
        try:
            folders.append(dump_field(folder))
        except MQError as raised:
            folders.append(f"{folder.name} cannot be parsed: {raised}")
    return "\n".join(folders)


def _outcome(recorded: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a run: `out` always, the rest if there is any."""
    rest = ("dead_letters", "replies", "written", "rows")
    return {"out": recorded["out"]} | {key: recorded[key] for key in rest if recorded.get(key)}


def _show(wires: list[dict[str, Any]], outcome: dict[str, Any]) -> None:
    for wire in wires:
        print(f"== {wire['wire']}")
        if "changes" in wire:
            print("\n".join(wire["changes"]) or "nothing changed")
        for name in (name for name in wire if name not in ("wire", "changes")):
            print(f"-- {name}\n{wire[name]}")
    for queue, messages in outcome["out"].items():
        for each in messages:
            print(f"== queue {queue}\n{_body(each)}")
    for each in outcome.get("dead_letters", ()):
        print(f"== dead letter: {each['reason']}, for {each['queue'] or 'no queue'}\n{_body(each)}")
    for each in outcome.get("replies", ()):
        print(f"== reply: {each['status']}\n{_body(each)}")
    for name, each in outcome.get("written", {}).items():
        print(f"== file {name}\n{_body(each)}")
    for source, tables in outcome.get("rows", {}).items():
        for table, rows in tables.items():
            print(f"== rows of {source}.{table}")
            for row in rows:
                print(", ".join(f"{name}={value!r}" for name, value in row.items()))
    if not outcome["out"]:
        print("== nothing was put to any queue")


def _body(each: dict[str, Any]) -> str:
    return str(each.get("body", each.get("hex", "")))
