"""`penstock dsn`: binds data source names of ESQL programs to databases.

Names and URLs are in `dsn.json` of PENSTOCK_HOME, outside projects, readable only by its owner. Passwords are
never shown. `test` connects and reports the database.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption

app = typer.Typer(help="Bind data source names to databases.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="the data source name that programs use")]
AsJson = JsonOption


@app.command("add")
def add(
    name: Name,
    url: Annotated[str, typer.Argument(help="such as sqlite:///orders.db or postgresql://user@host/db")] = "",
    url_file: Annotated[
        str, typer.Option("--url-file", help="a file that holds the URL; - is standard input")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Bind a name to a database URL; an existing name gets the new URL."""
    from penstock.cli.printing import show_json
    from penstock.esql.database.data_sources import DataSources

    if bool(url) == bool(url_file):
        raise typer.BadParameter("give the URL, or a file that holds it")
    if url_file:
        url = (sys.stdin.read() if url_file == "-" else Path(url_file).read_text()).strip()
    url = DataSources().add(name, url)
    if as_json:
        show_json(_facts(name, url))
    else:
        print(f"{name} is {_facts(name, url)['url']}")


@app.command("list")
def list_names(as_json: AsJson = False) -> None:
    """List the names and their targets."""
    from penstock.cli.printing import show_columns, show_json
    from penstock.esql.database.data_sources import DataSources

    found = [_facts(name, url) for name, url in DataSources().all().items()]
    if as_json:
        show_json(found)
    else:
        show_columns(("name", "url"), [(each["name"], each["url"]) for each in found])


@app.command("show")
def show(name: Name, as_json: AsJson = False) -> None:
    """Show what a name is bound to."""
    from penstock.cli.printing import show_facts, show_json
    from penstock.esql.database.data_sources import DataSources

    facts = _facts(name, DataSources().url(name))
    if as_json:
        show_json(facts)
    else:
        show_facts(facts)


@app.command("remove")
def remove(name: Name, as_json: AsJson = False) -> None:
    """Remove a name; the database is not changed."""
    from penstock.cli.printing import show_json
    from penstock.esql.database.data_sources import DataSources

    DataSources().remove(name)
    if as_json:
        show_json({"removed": name})
    else:
        print(f"{name} is removed")


@app.command("test")
def try_connection(name: Name, as_json: AsJson = False) -> None:
    """Connect to the database of a name and show what answered."""
    from penstock.cli.printing import show_facts, show_json
    from penstock.esql.database.data_sources import DataSources
    from penstock.esql.database.databases import Databases

    sources = DataSources()
    databases = Databases(sources.url, default=name)
    try:
        connection = databases.connection()
        version = connection.server_version()
    finally:
        databases.close()
    facts = {**_facts(name, sources.url(name)), "database": connection.dialect, "version": version}
    if as_json:
        show_json(facts)
    else:
        show_facts(facts)


def _facts(name: str, url: str) -> dict[str, str]:
    from penstock.esql.database.data_sources import shown_url

    return {"name": name, "url": shown_url(url)}
