"""`penstock home`: PENSTOCK_HOME as a whole; one file per command."""

import typer

from penstock.cli.home import backup, restore

app = typer.Typer(
    help="Back up and restore everything below PENSTOCK_HOME: queue managers, users, data sources, brokers.",
    no_args_is_help=True,
)
app.command("backup")(backup.backup)
app.command("restore")(restore.restore)
