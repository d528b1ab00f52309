"""`penstock lab run`: measure tests of the catalogue, or a flow of your own, into a folder."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.lab.run.conductor import Conductor

STOPPED = 3  # the exit code of a run that was stopped and can be resumed


def run(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="tests, reports by number, or patterns such as 'cl*'", metavar="[NAME]..."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="the whole catalogue")] = False,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="one short window of each test, for a first look")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="long windows and eight rounds, for a report")] = False,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, max=100, help="rounds of each point")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.1, max=3600, help="length of a window")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="the run's folder; a new one by default")] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="the folder of a stopped run, to continue it")
    ] = None,
    flow: Annotated[
        Path | None, typer.Option("--flow", help="a project of your own, PROJECT or PROJECT:FLOW")
    ] = None,
    messages: Annotated[
        Path | None, typer.Option("--messages", help="a file or folder of its messages")
    ] = None,
    persistent: Annotated[bool, typer.Option("--persistent", help="put them persistently")] = False,
    replay: Annotated[Path | None, typer.Option("--replay", help="recorded traffic, a Parquet file")] = None,
    speed: Annotated[
        float, typer.Option("--speed", min=0.01, max=1000, help="how much faster to replay it")
    ] = 1.0,
    drivers: Annotated[str, typer.Option("--drivers", help="names of drivers on other machines: B,C")] = "",
    host: Annotated[
        str, typer.Option("--host", help="this machine's address, as drivers reach it")
    ] = "127.0.0.1",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no line for each step")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run tests and keep what they measured; stop with Ctrl-C after a step, twice at once.

    Exit code 0 when all was done, 3 when it was stopped: `--resume FOLDER` goes on.
    """
    from penstock.lab.catalogue import chosen
    from penstock.lab.run.own_load import replay_test, replay_tier
    from penstock.lab.run.starting import finish, new_run, resumed
    from penstock.lab.run.tiers import FULL, SMOKE, STANDARD

    if resume is not None:
        with resumed(resume, _teller(quiet or as_json)) as (conductor, known):
            done = _conduct(conductor, chosen(known))
    else:
        tier = (SMOKE if smoke else FULL if full else STANDARD).changed(rounds, seconds)
        tests = chosen(names or []) if names or all_ else []
        if flow is not None:
            tests.append(_flow_test(flow, messages, persistent))
        if replay is not None:
            recorded, lasts = replay_test(replay, speed)
            tests, tier = [recorded], replay_tier(tier, lasts, rounds or 1)
        if not tests:
            raise typer.BadParameter("name tests, or say --all")
        with (
            _drivers(drivers, host, _teller(quiet or as_json)) as others,
            new_run(tests, tier, out, sys.argv[1:], _teller(quiet or as_json), others) as conductor,
        ):
            done = _conduct(conductor, tests)
    finish(conductor.folder)
    _show(conductor, as_json)
    raise typer.Exit(0 if done else STOPPED)


def _show(conductor: Conductor, as_json: bool) -> None:
    """Print where a run is and how far it has come."""
    from penstock.cli.printing import show_json

    if as_json:
        show_json({"folder": str(conductor.folder.path), "summary": conductor.summary()})
    else:
        print(f"{conductor.folder.path}: {conductor.summary()}")


def _flow_test(flow: Path, messages: Path | None, persistent: bool) -> Any:
    from penstock.lab.run.own_load import flow_test

    if messages is None:
        raise typer.BadParameter("--flow needs --messages")
    return flow_test(flow, messages, persistent)


@contextmanager
def _drivers(names: str, host: str, tell: Any) -> Iterator[Any]:
    """Wait for drivers on other machines, if there are to be some."""
    if not names:
        yield None
        return
    from penstock.lab.load.setting import real_folder
    from penstock.lab.run.drivers import conducted

    with real_folder() as folder, conducted(names.split(","), host, folder, tell) as found:
        yield found


def _teller(quiet: bool) -> Any:
    return (lambda text: None) if quiet else (lambda text: print(text, flush=True))


def _conduct(conductor: Conductor, tests: Any) -> bool:
    def stop(*_: object) -> None:
        if conductor.stopping.is_set():
            raise KeyboardInterrupt
        conductor.stopping.set()
        print("The run ends after this step.", flush=True)

    before = signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))  # servers under test are stopped on the way
    try:
        return conductor.run(tests)
    finally:
        signal.signal(signal.SIGINT, before)
