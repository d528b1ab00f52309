"""`penstock dlq`: messages on the dead-letter queue; one file a command."""

import typer

from penstock.cli.dlq import export, list, move, retry, show

app = typer.Typer(
    help="Look at dead letters; send them on, move them, write them to a file.", no_args_is_help=True
)
app.command("list")(list.list_)
app.command("show")(show.show)
app.command("retry")(retry.retry)
app.command("move")(move.move)
app.command("export")(export.export)
