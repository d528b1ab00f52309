"""`penstock qmgr`: queue managers as a whole; one file a command."""

import typer

from penstock.cli.qmgr import backup, create, delete, list, restore, start, status, stop

app = typer.Typer(
    help="Create, start, stop, list, watch, back up, restore and delete queue managers.", no_args_is_help=True
)
app.command("create")(create.create)
app.command("start")(start.start)
app.command("stop")(stop.stop)
app.command("list")(list.list_)
app.command("status")(status.status)
app.command("backup")(backup.backup)
app.command("restore")(restore.restore)
app.command("delete")(delete.delete)
