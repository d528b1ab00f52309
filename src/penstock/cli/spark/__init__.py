"""`penstock spark`: the Spark that stays between runs; one file a command."""

import typer

from penstock.cli.spark import start, status, stop

app = typer.Typer(help="Keep a warm Spark for the runs to come.", no_args_is_help=True)
app.command("start")(start.start)
app.command("stop")(stop.stop)
app.command("status")(status.status)
