"""`penstock unit`: prepared units of work that wait for a decision; one file a command."""

import typer

from penstock.cli.unit import backout, commit, list

app = typer.Typer(
    help="List prepared units of work and decide them by hand, as dspmqtrn and rsvmqtrn do.",
    no_args_is_help=True,
)
app.command("list")(list.list_)
app.command("commit")(commit.commit)
app.command("backout")(backout.backout)
