"""`penstock queue`: the queues of a queue manager; one file per command."""

import typer

from penstock.cli.queue import list

app = typer.Typer(help="See what is on queues, and who uses them.", no_args_is_help=True)


@app.callback()
def queues() -> None:
    """See what is on queues, and who uses them."""


app.command("list")(list.list_)
