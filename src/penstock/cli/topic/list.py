"""`penstock topic list`: the topics that are in use, with their publishers and subscribers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption, QmgrOption

COLUMNS = ("topic", "publishers", "subscribers", "retained", "object")
SYSTEM = ("$SYS", "SYSTEM.")


def list_(
    pattern: Annotated[
        str,
        typer.Argument(help="only these topics, such as 'price/#'", autocompletion=completion.topics),
    ] = "#",
    qmgr: QmgrOption = "",
    everything: Annotated[bool, typer.Option("--all", help="also topics that nobody uses")] = False,
    as_json: JsonOption = False,
) -> None:
    """List topics with their publishers, subscribers, retained publication and topic object."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_json
    from penstock.cli.topic.show import quoted, rows

    with connected(qmgr, commands_only=True) as qm:
        found = [_facts(each) for each in rows(qm, f"DISPLAY TPSTATUS({quoted(pattern)}) TYPE(TOPIC) ALL")]
    if not everything:
        found = [each for each in found if _is_used(each)]
    if as_json:
        show_json(found)
        return
    show_columns(COLUMNS, [[each[column] for column in COLUMNS] for each in found])


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "topic": row["TOPICSTR"],
        "publishers": row["PUBCOUNT"],
        "subscribers": row["SUBCOUNT"],
        "retained": row["RETAINED"] == "YES",
        "object": row["ADMIN"].strip(),
    }


def _is_used(facts: dict[str, Any]) -> bool:
    used = facts["publishers"] or facts["subscribers"] or facts["retained"] or facts["object"]
    return bool(used) and not facts["topic"].startswith(SYSTEM)
