"""The command line's entrance: knows the commands, and turns failures into one line and an exit code.

Not a place for a command's own work: each has its file. Invariant: a failure that the user can act on
never shows a traceback; it shows number, name and what to do (as JSON when --json was asked for).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import connecting
from penstock.cli.connection_options import ContextOption, PasswordFileOption, RunningOption, UserOption
from penstock.cli.lazy_commands import CommandGroup, Group, gather, group

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOW = Group(
    "Check, draw, run, test and trace message flows.",
    {
        "reservations": "flow.reservations:app",
        "list": "flow.listing_flows:list_flows",
        "init": "flow.init:init",
        "check": "flow.check:check",
        "graph": "flow.graph:graph",
        "import": "flow.importing:import_",
        "run": "flow.run:run",
        "stop": "flow.standing:stop",
        "start": "flow.standing:start",
        "follow": "flow.follow:follow",
        "failures": "flow.failures:failures",
        "test": "flow.testing:run_tests",
        "trace": "flow.trace:trace",
    },
)
HEADINGS: dict[str, dict[str, str | Group]] = {
    "Queue managers": {
        "qmgr": group(
            "Create, start, stop, list, watch, back up, restore, recover and delete queue managers.",
            *("qmgr", "create", "start", "stop", "list", "status", "backup", "restore"),
            *("image", "recover", "delete"),
        ),
        "mqsc": "mqsc:mqsc",
        "channel": group(
            "List, define and diagnose message channels between queue managers.",
            *("channel", "list", "explain", "trace", "link"),
        ),
        "cluster": group(
            "Make, join, leave, list, check and explain clusters; run all members on this machine.",
            *("cluster", "create", "join", "leave", "list", "check", "explain", "up", "down"),
        ),
        "map": "map:map_",
        "qsg": group(
            "Create, join, leave, watch and drop queue-sharing groups.",
            *("qsg", "create", "join", "leave", "status", "drop"),
        ),
        "apply": "apply:apply",
        "top": "top.top:top",
        "stats": "stats:stats",
        "trace": group(
            "Record what a queue, a channel or everything does while the queue manager runs.",
            *("trace", "start", "stop", "show", "follow", "route"),
        ),
        "home": group(
            "Back up and restore everything below PENSTOCK_HOME: "
            "queue managers, users, data sources, brokers.",
            *("home", "backup", "restore"),
        ),
    },
    "Messages": {
        "queue": group(
            "Show queues and the programs that use them; purge, copy and move messages.",
            *("queue", "list", "show", "purge", "copy", "move"),
        ),
        "resolve": "resolve:resolve",
        "put": "put:put",
        "get": "get:get",
        "browse": "browse:browse",
        "topic": group("List topics; show who receives publications.", "topic", "list", "show"),
        "publish": "publish:publish",
        "subscribe": "subscribe:subscribe",
        "dlq": group(
            "List, retry, move and export dead letters.",
            *("dlq", "list", "show", "retry", "move", "export"),
        ),
        "unit": group(
            "List prepared units of work and decide them by hand, as dspmqtrn and rsvmqtrn do.",
            *("unit", "list", "commit", "backout"),
        ),
        "trigger-monitor": "trigger_monitor:trigger_monitor",
        "bridge": group("Serve queues with transaction programs.", "bridge", "run"),
    },
    "Access": {
        "context": group(
            "Keep named addresses of queue managers, with user and password file.",
            *("context", "add", "use", "list", "remove"),
        ),
        "user": group(
            "Manage the users of all queue managers of this home, and their groups.",
            *("user", "add", "list", "groups", "password", "remove"),
        ),
        "explain-access": "explain_access:explain_access",
    },
    "Message flows": {
        "flow": FLOW,
        "broker": group("Keep deployed flows running.", "broker", "start", "stop", "list"),
        "deploy": "deploy:deploy",
        "rollback": "deploy:rollback",
        "undeploy": "deploy:undeploy",
        "replay": "replay:replay",
        "spark": group(
            "Keep a warm Spark session for later runs; pack Penstock for a cluster.",
            *("spark", "start", "stop", "pack", "prepare", "status"),
        ),
        "dsn": "dsn:app",
        "esql": "esql:app",
        "parse": "parse:parse",
        "convert": "convert:convert",
    },
    "Web console": {
        "console": "console:console",
        "web": group(
            "Serve the web console for a team, with logins.",
            *("web", "start", "stop", "status"),
        ),
    },
    "Performance": {
        "lab": group(
            "Measure this machine with the tests of the reports; plan capacity; advise.",
            *("lab", "list", "run", "report", "compare", "plan", "advise", "driver"),
        ),
        "bench": "bench:bench",
    },
    "Help": {
        "explain": "explain:explain",
        "cheat": "cheat:cheat",
        "doctor": "doctor:doctor",
        "health": group(
            "Checks for probes and monitoring systems, with the exit codes of Nagios plug-ins.",
            *("health", "qmgr", "queue", "dlq", "channel", "flow"),
        )._replace(is_probe=True),
        "support-bundle": "support_bundle:support_bundle",
        "demo": "demo:demo",
        "version": "version:version",
    },
}
COMMANDS = {name: place for table in HEADINGS.values() for name, place in table.items()}
COMPLETION = "_PENSTOCK_COMPLETE"  # a shell requests completions
HELP_COLUMNS_MAX = 100


class Penstock(CommandGroup):
    """All commands, by purpose."""

    headings = {heading: tuple(table) for heading, table in HEADINGS.items()}


def application(words: Sequence[str] = ()) -> typer.Typer:
    """Return the app, with the command that a command line begins with, or with all of them."""
    app = typer.Typer(
        name="penstock",
        help="Messaging and integration: a queue manager, message flows, and the same flows on Spark.",
        cls=Penstock,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": HELP_COLUMNS_MAX},
    )
    app.callback()(general)
    return gather(app, COMMANDS, typed_words() if COMPLETION in os.environ else words)


def typed_words() -> list[str]:
    """Return the words of a command line that a shell completes, without the program."""
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or "").split()[1:]


def show_version(wanted: bool) -> None:
    """Print the version and exit, for --version."""
    if wanted:
        from penstock.cli.version import version

        version()
        raise typer.Exit


def general(
    wanted: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="print the version and exit"),
    ] = False,
    user: UserOption = "",
    password_file: PasswordFileOption = "",
    running: RunningOption = False,
    context: ContextOption = "",
) -> None:
    """Keep the options before the command's name for the connection."""
    given = {
        connecting.USER: user,
        connecting.PASSWORD_FILE: password_file,
        connecting.RUNNING: "1" if running else "",
        connecting.CONTEXT: context,
    }
    os.environ.update(given)


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
    """Flush the output; it is no error if the reader, such as `head`, has ended."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
