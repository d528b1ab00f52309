"""`penstock flow trace`: runs one message through a flow and prints the tree at every wire."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.choosing import JsonOption

FlowArgument = Annotated[str, typer.Argument(help="the flow's name", autocompletion=completion.flows)]
MessageArgument = Annotated[Path, typer.Argument(help="a file with the message's body")]


def trace(
    flow: FlowArgument,
    message: MessageArgument,
    project: Annotated[Path, typer.Option("--project", "-p", help="the project's folder")] = Path(),
    input: Annotated[str, typer.Option(help="the input node, when there are several")] = "",
    save_test: Annotated[
        Path | None, typer.Option(help="add the run to a file of tests, such as tests/orders.yaml")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run one message through a flow, on queues of its own, and show what every wire carried."""
    from penstock.cli.listing import show_json
    from penstock.flow.testing.recording import recorded_case, save_case
    from penstock.flow.testing.rig import Rig

    body = message.read_bytes()
    with Rig(flow, project) as rig:
        rig.put(body, input)
        rig.run(input)
        wires = [_facts(seen) for seen in rig.wires]
        case = recorded_case(rig, message.stem, body, input)
    if as_json:
        show_json({"flow": flow, "wires": wires, "out": case["out"]})
    else:
        _show(wires, case["out"])
    if save_test is not None:
        save_case(save_test, flow, case)
        if not as_json:
            print(f"The run is test {message.stem!r} of {save_test} now.")


def _facts(seen: Any) -> dict[str, str]:
    trees = {
        "message": seen.message,
        "local_environment": seen.local_environment,
        "exception_list": seen.exception_list,
        "environment": seen.environment,
    }
    return {"wire": seen.place} | {name: text for name, tree in trees.items() if (text := _text(tree))}


def _text(tree: Any) -> str:
    """Return a tree as text; a folder that cannot be parsed says why: that is what traces are for."""
    from penstock.model.errors import MQError
    from penstock.tree.dump import dump_field

    folders = []
    for folder in tree:
        try:
            folders.append(dump_field(folder))
        except MQError as raised:
            folders.append(f"{folder.name} cannot be parsed: {raised}")
    return "\n".join(folders)


def _show(wires: list[dict[str, str]], out: dict[str, list[dict[str, str]]]) -> None:
    for wire in wires:
        print(f"== {wire['wire']}")
        for name, text in wire.items():
            if name != "wire":
                print(f"-- {name}\n{text}")
    for queue, messages in out.items():
        for each in messages:
            print(f"== queue {queue}\n{each.get('body', each.get('hex', ''))}")
    if not out:
        print("== nothing was put to any queue")
