"""How a check answers: one line and an exit code as Nagios plug-ins have them, or JSON.

Not a check itself. Invariant: whatever goes wrong while a check runs is UNKNOWN (3), never 1 or 2, which
monitoring systems would take for a verdict.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from penstock.cli import connecting
from penstock.cli.shared_options import with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from penstock.tools.health import Check, Range

    Limits = tuple[Range | None, Range | None]  # --warning and --critical

TIMEOUT_SECONDS = 10
WarningOption = Annotated[str, typer.Option("--warning", "-w", help="range that is OK; a warning outside it")]
CriticalOption = Annotated[
    str, typer.Option("--critical", "-c", help="range that is OK; critical outside it")
]
TimeoutOption = Annotated[int, typer.Option("--timeout", help="seconds until the answer is UNKNOWN", min=1)]


def health_check(subject: str, warning: str = "", critical: str = "") -> Callable[..., Any]:
    """Make a command of a function that returns its check and what to say when all is well.

    The command has the options that all checks have, with these ranges if none are given; the function gets
    both ranges as `limits`.
    """
    options = {
        "warning": (WarningOption, warning),
        "critical": (CriticalOption, critical),
        "timeout": (TimeoutOption, TIMEOUT_SECONDS),
        "as_json": (connecting.JsonOption, False),
    }

    def made(function: Callable[..., tuple[Check, str]]) -> Callable[..., Any]:
        del function.__annotations__["limits"], function.__annotations__["return"]  # typer does not see them

        @functools.wraps(function)
        def run(given: dict[str, Any], **arguments: Any) -> None:
            from penstock.tools.health import range_of

            with answering(subject, given["timeout"], given["as_json"]):
                limits = range_of(given["warning"]), range_of(given["critical"])
                answer(*function(**arguments, limits=limits), given["as_json"])

        return with_options(run, options, lambda values: {"given": values})

    return made


def answer(check: Check, all_well: str, as_json: bool) -> NoReturn:
    """Print the verdict and end with its code."""
    from penstock.cli.printing import show_json_line

    if as_json:
        show_json_line(check.facts())
    else:
        print(check.line(all_well))
    raise typer.Exit(int(check.verdict))


@contextlib.contextmanager
def answering(subject: str, timeout: int, as_json: bool) -> Iterator[None]:
    """Turn failures and a check that takes too long into UNKNOWN; a probe opens no stopped queue manager."""
    from penstock.tools.health import Check, Verdict

    before, os.environ[connecting.RUNNING] = os.environ.get(connecting.RUNNING, ""), "1"
    signal.signal(signal.SIGALRM, _too_late)
    signal.alarm(timeout)
    try:
        yield
    except (typer.Exit, TyperException):  # an answer, or a wrong command line
        raise
    except TimeoutError:
        unknown = f"no answer within {timeout} seconds"
    except Exception as failure:  # noqa: BLE001  an edge: the check could not be done
        unknown = str(failure) or type(failure).__name__
    else:
        return
    finally:
        signal.alarm(0)
        os.environ[connecting.RUNNING] = before
    check = Check(subject)
    check.note(Verdict.UNKNOWN, unknown)
    answer(check, "", as_json)


def _too_late(number: int, frame: FrameType | None) -> None:
    raise TimeoutError
