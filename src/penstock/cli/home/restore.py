"""`penstock home restore`: puts a home back from its backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption
from penstock.cli.qmgr.restore import CheckOption, ReplaceOption


def restore(
    source: Annotated[Path, typer.Argument(help="a folder that `penstock home backup` has made")],
    replace: ReplaceOption = False,
    check: CheckOption = False,
    as_json: JsonOption = False,
) -> None:
    """Restore queue managers, users, data sources and brokers; the backup is checked first."""
    from penstock.cli.home.backup import told
    from penstock.cli.printing import show_json
    from penstock.cli.qmgr.restore import show_check
    from penstock.flow.broker.home_backup import restore_home

    if check:
        show_check(source, as_json)
        return
    home, parts = restore_home(source, replace)
    if as_json:
        show_json({"home": str(home), "source": str(source), "parts": parts._asdict()})
    else:
        print(f"Restored into {home}: {told(parts)}.")
        print("Restored queue managers are incarnations of their own. Start them with `penstock qmgr start`.")
