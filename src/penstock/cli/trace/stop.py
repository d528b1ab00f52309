"""`penstock trace stop`: ends a trace; what was recorded stays in memory."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.trace.subjects import Subject, tracing


@tracing
def stop(
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
    *,
    traced: Subject,
) -> None:
    """End the trace of a queue, a channel, a connection or a flow; without a choice end all traces."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json

    kind, name = traced
    with connected(qmgr, commands_only=True) as qm:
        qm.trace(kind, name, 0, seconds=-1.0)
    if as_json:
        show_json({"kind": kind, "name": name})
    else:
        print(f"{kind} {name} is not traced any more." if name else "Nothing is traced any more.")
