"""DISPLAY CHLAUTH MATCH(RUNCHECK): which rule would apply to a client, and as which user it would connect.

It uses the same evaluator as the listener, so it shows what really happens. Called by `display_records`. No
name server is asked: give a host name as ADDRESS instead of an IP address. Changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.channel_authentication.evaluator import NO_PASSWORD
from penstock.admin.commands.display import show
from penstock.admin.connection_authentication import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.access import Access
    from penstock.admin.channel_authentication.evaluator import Decision
    from penstock.admin.commands.display import Wish
    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Reply


def run_check(command: Command, context: Context, chosen: dict[str, str], wish: Wish) -> Iterator[Reply]:
    """Yield the rules that warn, the rule that is used, and the result."""
    name = command.object_name
    if "*" in name:
        raise command.name.value_fault("MATCH(RUNCHECK) is about one channel, not a generic name")
    if not chosen.get("ADDRESS"):
        raise command.name.fault("MATCH(RUNCHECK) needs ADDRESS( where the client comes from )")
    access = context.engine.access
    if not access.channels.enabled:
        yield replies.failed("AMQ8879E", "The queue manager has CHLAUTH(DISABLED): no rule is used.", 3357)
        return
    decision = _decide(access, name, chosen)
    for rule in (*decision.warnings, decision.blocked_by or decision.rule):
        definition = context.engine.objects.find("CHLAUTH", rule.name) if rule is not None else None
        visible = show(context, definition, wish) if definition is not None else None
        if visible is not None:
            yield replies.displayed("CHLAUTH", visible)
    if decision.allowed:
        yield replies.accepted("AMQ9783I", f"Channel will run using MCAUSER('{decision.user}').")
    else:
        yield replies.accepted(decision.log_id, f"Channel will not run: {decision.text}.")


def _decide(access: Access, name: str, chosen: dict[str, str]) -> Decision:
    """Decide without a password; if one is required, as with the right one."""

    def decided(verdict: Verdict | None) -> Decision:
        return access.channels.decide(
            name,
            chosen["ADDRESS"],
            host=chosen["ADDRESS"],
            user=chosen.get("CLNTUSER", ""),
            peer=chosen.get("SSLPEER", ""),
            issuer=chosen.get("SSLCERTI", ""),
            verdict=verdict,
        )

    decision = decided(None)
    if decision.log_id != NO_PASSWORD:
        return decision
    user = chosen.get("CLNTUSER", "")
    return decided(Verdict(user, True, True, f"the password of {user} is taken for right"))
