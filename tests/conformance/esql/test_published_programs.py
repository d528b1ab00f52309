"""What published programs write: XML declarations by every path, constants of MQ, PASSTHRU to one field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.database.databases import Databases
from penstock.esql.runtime.context import Context
from penstock.esql.source import Source
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.tree import Message, Path, parse
from tests.conformance.flow import shop

if TYPE_CHECKING:
    from pathlib import Path as FilePath

MAIN = (
    "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n%s\nRETURN TRUE; END; END MODULE;"
)


def made(statements: str, databases: Any = None) -> Message:
    output = Message()
    module = compile_sources([Source("p.esql", MAIN % statements)]).module("M")
    module.run(Context(parse(b"<a/>", "XMLNSC"), output=output, databases=databases))
    return output


@pytest.mark.parametrize(
    "statements",
    [
        "SET OutputRoot.XMLNSC.(XMLNSC.XmlDeclaration)*.(XMLNSC.Attribute)Version = '1.0';",
        "SET OutputRoot.XMLNSC.(XMLNSC.XmlDeclaration)XmlDeclaration.(XMLNSC.Attribute)Version = '1.0';",
        "CREATE FIELD OutputRoot.XMLNSC.(XMLNSC.XmlDeclaration)*;",
        "SET OutputRoot.XMLNSC.(XML.XmlDecl)XmlDecl.(XML.Version)Version = '1.0';",
    ],
)
def test_declaration_in_xmlnsc(statements: str) -> None:
    assert (
        made(f"{statements} SET OutputRoot.XMLNSC.a = 'x';").serialise() == b'<?xml version="1.0"?><a>x</a>'
    )


@pytest.mark.parametrize(
    "statements",
    [
        "SET OutputRoot.XMLNS.(XML.XmlDecl) = ''; SET OutputRoot.XMLNS.(XML.XmlDecl).(XML.Version) = '1.0';",
        "SET OutputRoot.XMLNS.(XML.XmlDecl)*.(XML.Version)* = '1.0';",
        "CREATE FIELD OutputRoot.XMLNS.(XML.XmlDecl)XmlDecl;"
        " CREATE LASTCHILD OF OutputRoot.XMLNS.(XML.XmlDecl) TYPE XML.Version NAME 'Version' VALUE '1.0';",
        "CREATE FIELD OutputRoot.XMLNS.(XML.XmlDecl)XmlDecl;"
        " CREATE LASTCHILD OF OutputRoot.XMLNS.(XML.XmlDecl)*[1] TYPE XML.Version NAME 'Version' VALUE '1.0';",
    ],
)
def test_declaration_in_xmlns(statements: str) -> None:
    assert made(f"{statements} SET OutputRoot.XMLNS.a = 'x';").serialise() == b'<?xml version="1.0"?><a>x</a>'


def test_encoding_and_standalone() -> None:
    found = made(
        "SET OutputRoot.XMLNSC.(XMLNSC.XmlDeclaration)*.(XMLNSC.Attribute)Encoding = 'UTF-8';"
        "SET OutputRoot.XMLNSC.(XMLNSC.XmlDeclaration)*.(XMLNSC.Attribute)StandAlone = 'Yes';"
        "SET OutputRoot.XMLNSC.a = 'x';"
    )
    assert found.serialise() == b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a>x</a>'


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("MQMI_NONE", bytes(24)), ("MQCI_NONE", bytes(24)), ("MQGI_NONE", bytes(24))),
        *(("MQACT_NONE", bytes(32)), ("MQMD_CURRENT_VERSION", 2), ("MQRFH_NONE", 0), ("MQCIH_VERSION_2", 2)),
        *(("MQFMT_RF_HEADER_2", "MQHRF2"), ("MQRC_NO_MSG_AVAILABLE", 2033), ("MQPER_PERSISTENT", 1)),
    ],
)
def test_constants_of_mq_have_their_types(name: str, value: object) -> None:
    found = made(f"SET OutputRoot.X.v = {name};").get(Path("X", "v"))
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("name", ["MQMT_DATAGRAMM", "MQXX_NOSUCH"])
def test_an_unknown_constant_is_refused(name: str) -> None:
    with pytest.raises(MQError, match="E201") as raised:
        made(f"SET OutputRoot.X.v = {name};")
    assert raised.value.reason == mq.PSRC_ESQL_REFUSED


@pytest.mark.parametrize("terminal", ["'Out1'", "9"])
def test_a_terminal_that_is_not_there_fails_when_it_runs(terminal: str) -> None:
    with pytest.raises(MQError, match="there is no terminal"):
        made(f"PROPAGATE TO TERMINAL {terminal};")


def test_passthru_to_one_field_is_its_first_row(tmp_path: FilePath) -> None:
    url = f"sqlite:///{tmp_path}/shop.db"
    shop.create(url)
    databases = Databases(lambda _: url).for_default("SHOP")
    sql = "SELECT name, city FROM customer WHERE id {} ORDER BY id"
    found = made(
        f"SET OutputRoot.XMLNSC.r.one = PASSTHRU('{sql.format('< 3')}');"
        f"SET OutputRoot.XMLNSC.r.none = PASSTHRU('{sql.format('> 9')}');"
        f"SET OutputRoot.XMLNSC.r.all[] = PASSTHRU('{sql.format('< 3')}');",
        databases,
    )
    databases.close()
    text = found.serialise()
    assert b"<one><name>Ada</name><city>London</city></one>" in text
    assert b"none" not in text
    assert text.count(b"<all>") == 2
