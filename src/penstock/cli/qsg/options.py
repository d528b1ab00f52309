"""Arguments that the commands of `penstock qsg` share."""

from __future__ import annotations

from typing import Annotated

import typer

GroupArgument = Annotated[str, typer.Argument(metavar="GROUP", help="1 to 4 letters and digits")]
MemberArgument = Annotated[str, typer.Argument(metavar="QMGR", help="a queue manager of this home")]
FacilityOption = Annotated[
    str,
    typer.Option("--facility", help="the database: postgresql://user@host/database, without a password"),
]


def show_risks(risks: list[dict[str, str]]) -> None:
    """Print what is risky in a server."""
    for risk in risks:
        print(f"risk  {risk['subject']}: {risk['text']}")
        print(f"      {risk['advice']}")
