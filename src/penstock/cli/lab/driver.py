"""`penstock lab driver`: play the measured roles of a run on another machine."""

from __future__ import annotations

from typing import Annotated

import typer


def driver(
    address: Annotated[str, typer.Argument(help="the conductor's address, as `lab run --drivers` shows it")],
    name: Annotated[str, typer.Option("--name", help="this driver's name in the run")],
) -> None:
    """Wait for the conductor of a run, play the roles that it names, and end with it."""
    import penstock
    from penstock.lab.run.agent import Agent

    with penstock.connect(address) as qm:
        print(f"Driver {name} is ready.", flush=True)
        Agent(qm, name).serve()
    print(f"Driver {name} has ended.")
