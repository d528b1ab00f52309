"""MQSC in the browser: checked or run with the person's authority."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.admin.mqsc import Reply
from penstock.console.people import queue_managers
from penstock.console.visit import Page, command
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools.masked_text import masked

if TYPE_CHECKING:
    from penstock.console.visit import Visit

SCRIPT_MAX = 200_000  # characters
REPLIES_MAX = 1_000


def mqsc_page(visit: Visit) -> Page:
    """Return the form."""
    return _page(visit, visit.text("script"), [], 0, "")


def mqsc_run(visit: Visit) -> Page:
    """Check or run a script, and show its replies."""
    script, verify = visit.text("script").replace("\r\n", "\n"), not visit.text("run")
    if len(script) > SCRIPT_MAX:
        raise error(mq.MQRC_OPTIONS_ERROR, f"a script has at most {SCRIPT_MAX} characters here")
    qmgr = visit.qmgr_name()
    pieces = visit.qm(qmgr).mqsc_script(script.splitlines(keepends=True), verify=verify)
    replies: list[dict[str, Any]] = []
    left_out = 0
    failed = 0
    for piece in pieces:
        if isinstance(piece, Reply):
            failed += piece.failed
            if len(replies) < REPLIES_MAX:
                replies.append(_facts(piece))
            else:
                left_out += 1
    if not verify:
        first, *_ = masked(script).strip().splitlines() or [""]
        visit.did("mqsc", qmgr=qmgr, first_line=first[:80], failed=failed)
    return _page(visit, script, replies, left_out, "checked" if verify else "run")


def _facts(reply: Reply) -> dict[str, Any]:
    attributes = " ".join(f"{name}({value})" for name, value in (reply.attributes or {}).items())
    return {
        "id": reply.id,
        "text": reply.text,
        "attributes": attributes,
        "failed": reply.failed,
        "line": reply.line,
    }


def _page(visit: Visit, script: str, replies: list[dict[str, Any]], left_out: int, done: str) -> Page:
    qmgr = visit.qmgr_name()
    data = {
        "qmgr": qmgr,
        "managers": list(queue_managers()),
        "script": script,
        "replies": replies,
        "left_out": left_out,
        "done": done,
    }
    return Page("mqsc.html", "MQSC", data, command("mqsc", qmgr, *(["-c", script] if script else [])))
