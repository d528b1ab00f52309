"""`penstock qmgr`: queue managers as a whole; one file a command."""

import typer

from penstock.cli.qmgr import backup, create, delete, list, status

app = typer.Typer(help="Create, list, watch, back up and delete queue managers.", no_args_is_help=True)
app.command("create")(create.create)
app.command("list")(list.list_)
app.command("status")(status.status)
app.command("backup")(backup.backup)
app.command("delete")(delete.delete)
