"""`penstock apply`: brings a home to the state in one file: queue managers, users, data sources, brokers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption


def apply(
    file: Annotated[str, typer.Argument(help="the YAML file, such as home.yaml")],
    diff: Annotated[bool, typer.Option("--diff", help="show the plan and do nothing")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask for confirmation")] = False,
    as_json: JsonOption = False,
) -> None:
    """Create and change queue managers, users, data sources and brokers as a YAML file describes.

    Shows the plan and asks first. Applying a file twice changes nothing; nothing is deleted.
    """
    from penstock.cli import home_file
    from penstock.cli.printing import counted, show_json

    path = Path(file)
    steps = home_file.plan(home_file.read(path), path.resolve().parent)
    if not as_json:
        for step in steps:
            print(f"{step.act} {step.kind} {step.name}")
            for line in step.lines:
                print(f"  {line}")
        if not steps:
            print("Everything is as the file says.")
    done = False
    if steps and not diff and (yes or typer.confirm(f"{counted(len(steps), 'step')}. Go on?", err=as_json)):
        for step in steps:
            step.carry_out()
        done = True
    if as_json:
        show_json({"steps": [step.facts for step in steps], "done": done})
    elif done:
        print(f"{counted(len(steps), 'step')} done.")
