"""`penstock stats`: statistics and accounting messages, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.statistics_rows import Row

STATISTICS = "SYSTEM.ADMIN.STATISTICS.QUEUE"
ACCOUNTING = "SYSTEM.ADMIN.ACCOUNTING.QUEUE"


def stats(
    qmgr: QmgrOption = "",
    accounting: Annotated[bool, typer.Option("--accounting", help="what programs did, instead")] = False,
    kind: Annotated[str, typer.Option("--kind", help="only mqi, queue or channel")] = "",
    object: Annotated[str, typer.Option("--object", help="only this queue, channel or program")] = "",
    take: Annotated[bool, typer.Option("--take", help="remove the messages that are shown")] = False,
    everything: Annotated[bool, typer.Option("--all", help="also figures that are zero")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show statistics or accounting messages: one figure per row. They stay, unless --take is given."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_json
    from penstock.model.statistics_rows import COLUMNS

    with connected(qmgr) as qm:
        rows = [
            row
            for row in figures(qm, ACCOUNTING if accounting else STATISTICS, take)
            if (everything or row.value)
            and (not kind or row.kind.endswith(kind))
            and (not object or object in row.object.split(":"))
        ]
    if as_json:
        show_json([row._asdict() for row in rows])
        return
    show_columns(COLUMNS, rows)
    if not rows:
        print("There are none. ALTER QMGR STATMQI(ON) STATQ(ON) STATINT(60) has them written every minute.")


def figures(qm: BlockingQueueManager, queue: str, take: bool) -> Iterator[Row]:
    """Yield the figures of the messages on a queue."""
    from penstock.model.statistics_rows import rows_of

    messages = iter(lambda: qm.get(queue), None) if take else qm.browse(queue)
    for message in messages:
        assert message is not None
        descriptor = message.descriptor
        yield from rows_of(bytes(message.body or b""), descriptor.encoding, descriptor.ccsid)
