"""`penstock flow`: what concerns message flows; one file a command."""

import typer

from penstock.cli.flow import reservations

app = typer.Typer(help="Message flows.", no_args_is_help=True)
app.add_typer(reservations.app, name="reservations")
