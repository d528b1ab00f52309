"""`penstock lab advise`: the reports' tuning advice that applies to a running queue manager."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrArgument, QmgrOption, connected, named


def advise(
    name: QmgrArgument = "",
    qmgr: QmgrOption = "",
    runs: Annotated[
        list[Path] | None, typer.Option("--from", help="folders of runs whose figures support the advice")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="also rules that do not apply")] = False,
    as_json: JsonOption = False,
) -> None:
    """Look at a queue manager's settings, status and machine; nothing is changed."""
    from penstock.cli.printing import show_json
    from penstock.lab.advisor.advise import advise as advise_on
    from penstock.lab.advisor.facts import facts_of
    from penstock.lab.report.reading import figures_of
    from penstock.lab.run.folder import RunFolder

    rows = [row for path in runs or [] for row in figures_of(RunFolder.existing(path))]
    with connected(named(name, qmgr)) as qm:
        found = advise_on(facts_of(qm), rows, everything=everything)
    if as_json:
        show_json([each._asdict() for each in found])
        return
    for each in found:
        print(f"{each.setting}: {each.now or 'does not apply'} [{each.ids}]")
        print(f"  {each.advice}; {each.why}")
        if each.change:
            print(f"  {each.change}")
    if not found:
        print("No advice applies; --all shows the rules.")
