"""`penstock health flow`: the workers of deployed flows run, and do not fail again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.cli.health.answering import health_check

if TYPE_CHECKING:
    from penstock.cli.health.answering import Limits
    from penstock.tools.health import Check


@health_check("FLOW")
def flow(
    flow: Annotated[
        str, typer.Argument(help="the flow; all without it", autocompletion=completion.flows)
    ] = "",
    *,
    limits: Limits,
) -> tuple[Check, str]:
    """Check deployed flows: critical if a worker does not run; the ranges are messages that were given up."""
    from penstock.cli.broker.list import facts_of
    from penstock.flow.broker.home import all_brokers
    from penstock.tools.health import flow_check

    check = flow_check([facts_of(home) for home in all_brokers()], flow, *limits)
    return check, f"{flow} runs" if flow else "all flows run"
