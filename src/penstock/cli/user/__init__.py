"""`penstock user`: the users of a home, their groups and passwords; one file a command."""

import typer

from penstock.cli.user import add, groups, list, password, remove

app = typer.Typer(
    help="Users for all queue managers of this home: who they are, and which groups they are in.",
    no_args_is_help=True,
)
app.command("add")(add.add)
app.command("list")(list.list_)
app.command("groups")(groups.groups)
app.command("password")(password.password)
app.command("remove")(remove.remove)
