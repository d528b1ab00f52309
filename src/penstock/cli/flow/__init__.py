"""`penstock flow`: what concerns message flows; one file a command."""

import typer

from penstock.cli.flow import check, graph, importing, listing_flows, reservations, run, testing, trace

app = typer.Typer(help="Message flows.", no_args_is_help=True)
app.add_typer(reservations.app, name="reservations")
app.command("list")(listing_flows.list_flows)
app.command("check")(check.check)
app.command("graph")(graph.graph)
app.command("import")(importing.import_)
app.command("run")(run.run)
app.command("test")(testing.run_tests)
app.command("trace")(trace.trace)
