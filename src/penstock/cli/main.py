"""The command line's entrance: gathers the commands, and turns failures into one line and an exit code.

Not a place for a command's own work: each has its file. Invariant: a failure that the user can act on
never shows a traceback; it shows number, name and what to do (as JSON when --json was asked for).
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from penstock.cli import (
    broker,
    browse,
    choosing,
    convert,
    demo,
    deploy,
    dlq,
    doctor,
    dsn,
    esql,
    explain,
    explain_access,
    flow,
    get,
    mqsc,
    parse,
    publish,
    put,
    qmgr,
    replay,
    spark,
    subscribe,
    trigger_monitor,
    unit,
    user,
    version,
)

app = typer.Typer(
    name="penstock",
    help="An MQ-style queue manager for Python people.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and end, as --version asks."""
    if wanted:
        version.version()
        raise typer.Exit


@app.callback()
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


app.add_typer(qmgr.app, name="qmgr")
app.command("mqsc")(mqsc.mqsc)
app.command("put")(put.put)
app.command("get")(get.get)
app.command("browse")(browse.browse)
app.command("publish")(publish.publish)
app.command("subscribe")(subscribe.subscribe)
app.add_typer(dlq.app, name="dlq")
app.add_typer(unit.app, name="unit")
app.add_typer(flow.app, name="flow")
app.add_typer(broker.app, name="broker")
app.command("replay")(replay.replay)
app.command("deploy")(deploy.deploy)
app.command("undeploy")(deploy.undeploy)
app.command("trigger-monitor")(trigger_monitor.trigger_monitor)
app.add_typer(spark.app, name="spark")
app.add_typer(esql.app, name="esql")
app.add_typer(dsn.app, name="dsn")
app.add_typer(user.app, name="user")
app.command("parse")(parse.parse)
app.command("convert")(convert.convert)
app.command("explain")(explain.explain)
app.command("explain-access")(explain_access.explain_access)
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)
app.command("version")(version.version)


def main() -> None:
    """Run the command that `sys.argv` names."""
    try:
        app()
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
