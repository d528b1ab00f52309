"""The command line's entrance: knows the commands, and turns failures into one line and an exit code.

Not a place for a command's own work: each has its file. Invariant: a failure that the user can act on
never shows a traceback; it shows number, name and what to do (as JSON when --json was asked for).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import choosing
from penstock.cli.gathering import gather

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "qmgr": "qmgr:app",
    "mqsc": "mqsc:mqsc",
    "put": "put:put",
    "get": "get:get",
    "browse": "browse:browse",
    "publish": "publish:publish",
    "subscribe": "subscribe:subscribe",
    "dlq": "dlq:app",
    "unit": "unit:app",
    "flow": "flow:application",
    "broker": "broker:app",
    "replay": "replay:replay",
    "deploy": "deploy:deploy",
    "undeploy": "deploy:undeploy",
    "trigger-monitor": "trigger_monitor:trigger_monitor",
    "spark": "spark:app",
    "esql": "esql:app",
    "dsn": "dsn:app",
    "home": "home:app",
    "user": "user:app",
    "parse": "parse:parse",
    "convert": "convert:convert",
    "explain": "explain:explain",
    "explain-access": "explain_access:explain_access",
    "doctor": "doctor:doctor",
    "demo": "demo:demo",
    "version": "version:version",
}
COMPLETION = "_PENSTOCK_COMPLETE"  # a shell asks what may come next


def application(words: Sequence[str] = ()) -> typer.Typer:
    """Return the app, with the command that a command line begins with, or with all of them."""
    app = typer.Typer(
        name="penstock",
        help="Messaging and integration: a queue manager, message flows, and the same flows on Spark.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(general)
    return gather(app, COMMANDS, () if COMPLETION in os.environ else words)


def show_version(wanted: bool) -> None:
    """Print the version and end, as --version asks."""
    if wanted:
        from penstock.cli.version import version

        version()
        raise typer.Exit


def general(
    wanted: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="print the version and end"),
    ] = False,
    user: Annotated[
        str, typer.Option("--user", envvar=choosing.USER, help="who you are at an mq:// address")
    ] = "",
    password_file: Annotated[
        str,
        typer.Option(envvar=choosing.PASSWORD_FILE, help="holds the user's password; else it is asked for"),
    ] = "",
) -> None:
    """Messaging for Python people: an MQ-style queue manager in your process."""
    os.environ.update({choosing.USER: user, choosing.PASSWORD_FILE: password_file})


def main() -> None:
    """Run the command that `sys.argv` names."""
    try:
        application(sys.argv[1:])()
    except Exception as failure:
        from penstock.cli.failure import report

        if not report(failure, as_json="--json" in sys.argv):
            raise
        sys.exit(1)
    finally:
        say_the_rest()


def say_the_rest() -> None:
    """Write out what is still buffered; nobody is told when the reader, such as `head`, has gone."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
