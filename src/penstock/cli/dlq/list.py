"""`penstock dlq list`: what is on the dead-letter queue, and why."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.dlq.letters import QueueOption, with_filter
from penstock.cli.printing import counted

if TYPE_CHECKING:
    from penstock.tools.dead_letters import Filter

COLUMNS = ("msg_id", "put_time", "reason", "reason_name", "destination", "length")
TEXT_MAX = 200  # characters of a text in a heading; what differs behind them makes no group
TEXTS_MAX = 10  # of one cause; more have ids or values in them


@with_filter
def list_(
    *, chosen: Filter, qmgr: QmgrOption = "", queue: QueueOption = "", as_json: JsonOption = False
) -> None:
    """List dead letters by cause: reason, destination, time and length; what failed in which flow."""
    from penstock.cli.connecting import connected
    from penstock.cli.dlq.letters import find, grouped, letter_facts
    from penstock.cli.printing import show_columns, show_json

    with connected(qmgr) as qm:
        _, letters = find(qm, queue, chosen)
    letters = grouped(letters)
    facts = [letter_facts(letter, with_body=False) for letter in letters]
    if as_json:
        show_json(facts)
        return
    if not any(each["flow"] for each in facts):
        show_columns(COLUMNS, [[each[column] for column in COLUMNS] for each in facts])
        return
    for _, group in groupby(zip(letters, facts, strict=True), key=lambda each: each[0].cause):
        for rows in by_text([each for _, each in group]):
            print(heading(rows))
            show_columns(COLUMNS, [[each[column] for column in COLUMNS] for each in rows])


def by_text(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the letters of one cause by text; all together when there are too many texts."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for each in rows:
        groups.setdefault(each["text"][:TEXT_MAX], []).append(each)
    return list(groups.values()) if len(groups) <= TEXTS_MAX else [rows]


def heading(rows: list[dict[str, Any]]) -> str:
    """Return the line above letters of one cause; of several texts it says how many, and the first."""
    first, count = rows[0], counted(len(rows), "message")
    if not first["flow"]:
        return f"{count}: {first['reason']} {first['reason_name']}".rstrip()
    texts = list(dict.fromkeys(each["text"][:TEXT_MAX] for each in rows))
    where = f"node {first['node']} of flow {first['flow']}"
    several = f", {len(texts)} texts" if len(texts) > 1 else ""
    such_as = "such as " if several else ""
    return f"{count}{several}: {first['cause']} {first['cause_name']} at {where}: {such_as}{texts[0]}"
