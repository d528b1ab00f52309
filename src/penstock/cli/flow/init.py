"""`penstock flow init`: a new flow project that runs: one flow, its ESQL, a test, the queues it needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
FLOW = '''"""{name}: greets whoever is named in the message."""

from penstock.flow import Flow, nodes

flow = Flow("{name}", properties={{"GREETING": "Hello"}})

arrival = flow.add(nodes.MQInput("{upper}.IN", domain="JSON", transaction="yes"))
named = flow.add(nodes.Filter("Body.Data.name IS NOT NULL", name="Named"))
greet = flow.add(nodes.Compute("esql/{name}.esql", module="Greet"))
done = flow.add(nodes.MQOutput("{upper}.OUT", name="Done"))
bad = flow.add(nodes.MQOutput("{upper}.BAD", name="Bad"))

arrival.out >> named.in_
named.true >> greet.in_
named.false >> bad.in_
greet.out >> done.in_
arrival.catch >> bad.in_
'''
ESQL = """DECLARE GREETING EXTERNAL CHARACTER 'Hello';

CREATE COMPUTE MODULE Greet
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.MQMD = InputRoot.MQMD;
    SET OutputRoot.JSON.Data.text = GREETING || ', ' || InputRoot.JSON.Data.name;
    RETURN TRUE;
  END;
END MODULE;
"""
TEST = """flow: {name}
tests:
  - name: somebody is greeted by name
    in: [{{body: '{{"name": "Ada"}}'}}]
    out: {{{upper}.OUT: [{{body: '{{"text":"Hello, Ada"}}'}}]}}

  - name: a message without a name is kept apart
    in: [{{body: '{{"age": 36}}'}}]
    out: {{{upper}.BAD: [{{body: '{{"age": 36}}'}}]}}
"""
QUEUES = """* The queues of flow {name}
DEFINE QLOCAL({upper}.IN) DEFPSIST(YES) BOTHRESH(3) BOQNAME({upper}.BAD) REPLACE
DEFINE QLOCAL({upper}.OUT) DEFPSIST(YES) REPLACE
DEFINE QLOCAL({upper}.BAD) DEFPSIST(YES) REPLACE
"""
README = """# {name}

```sh
penstock flow test .
penstock qmgr create QM1 --mqsc queues.mqsc
penstock put {upper}.IN '{{"name": "Ada"}}' -m QM1
penstock flow run {name} -p . -m QM1 --engine inline --until-empty
penstock get {upper}.OUT -m QM1
```
"""
FILES = {
    "flows/{name}.py": FLOW,
    "esql/{name}.esql": ESQL,
    "tests/{name}.yaml": TEST,
    "queues.mqsc": QUEUES,
    "README.md": README,
}


def init(
    folder: Annotated[str, typer.Argument(help="the new folder; its name becomes the flow's")],
    as_json: JsonOption = False,
) -> None:
    """Create a flow project that runs: a flow, its ESQL, a test and its queues as MQSC."""
    from penstock.cli.printing import show_json

    place = Path(folder)
    name = place.resolve().name.replace("-", "_")
    if not NAME.fullmatch(name):
        raise typer.BadParameter(f"{name} is no name for a flow: letters, digits and underscores")
    taken = [each for each in files_of(name) if (place / each).exists()]
    if taken:
        raise typer.BadParameter(f"{place / taken[0]} exists; nothing was written")
    for path, text in files_of(name).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, "utf-8")
    if as_json:
        show_json({"flow": name, "folder": str(place), "files": list(files_of(name))})
        return
    print(f"{place} has flow {name}. Try it: penstock flow test {place}; more is in its README.md.")


def files_of(name: str) -> dict[str, str]:
    """Return the files of a new project."""
    words = {"name": name, "upper": name.upper()}
    return {
        path.format(**words): text if text is ESQL else text.format(**words) for path, text in FILES.items()
    }
