"""`penstock health flow`: the workers of deployed flows run, and do not fail again and again."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption
from penstock.cli.health.answering import TIMEOUT_SECONDS, CriticalOption, TimeoutOption, WarningOption


def flow(
    flow: Annotated[
        str, typer.Argument(help="the flow; all without it", autocompletion=completion.flows)
    ] = "",
    warning: WarningOption = "",
    critical: CriticalOption = "",
    timeout: TimeoutOption = TIMEOUT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Check deployed flows: critical if a worker does not run; the ranges are messages that were given up."""
    from penstock.cli.broker.list import facts_of
    from penstock.cli.health.answering import answer, answering
    from penstock.flow.broker.home import all_brokers
    from penstock.tools.health import flow_check, range_of

    with answering("FLOW", timeout, as_json):
        limits = range_of(warning), range_of(critical)
        check = flow_check([facts_of(home) for home in all_brokers()], flow, *limits)
        answer(check, f"{flow} runs" if flow else "all flows run", as_json)
