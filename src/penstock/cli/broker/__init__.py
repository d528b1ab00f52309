"""`penstock broker`: the broker, which keeps deployed flows running; one file a command."""

import typer

from penstock.cli.broker import list as list_
from penstock.cli.broker import start, stop

app = typer.Typer(help="Keep deployed flows running.", no_args_is_help=True)
app.command("start")(start.start)
app.command("stop")(stop.stop)
app.command("list")(list_.list_)
