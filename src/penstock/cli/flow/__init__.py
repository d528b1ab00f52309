"""`penstock flow`: what concerns message flows; one file a command."""

import typer

from penstock.cli.flow import reservations, run, testing, trace

app = typer.Typer(help="Message flows.", no_args_is_help=True)
app.add_typer(reservations.app, name="reservations")
app.command("run")(run.run)
app.command("test")(testing.run_tests)
app.command("trace")(trace.trace)
