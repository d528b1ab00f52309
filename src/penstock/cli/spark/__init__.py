"""`penstock spark`: the warm Spark session, and archives for workers; one file per command."""

import typer

from penstock.cli.spark import pack, start, status, stop

app = typer.Typer(
    help="Keep a warm Spark for the runs to come; pack Penstock for a cluster.", no_args_is_help=True
)
app.command("start")(start.start)
app.command("stop")(stop.stop)
app.command("pack")(pack.pack)
app.command("status")(status.status)
