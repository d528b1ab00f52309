"""`penstock topic`: topics of a queue manager; one file per command."""

import typer

from penstock.cli.topic import show

app = typer.Typer(help="See who receives what is published.", no_args_is_help=True)


@app.callback()
def topics() -> None:
    """See who receives what is published."""


app.command("show")(show.show)
