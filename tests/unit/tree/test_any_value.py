"""Every kind of value in every physical type: bytes that read back, or a clear refusal."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pytest

from penstock import MQError, tree
from penstock.tree.model import Cwf, CwfFormat, Field, Model, Tds, TdsFormat, TdsType, Type, XmlFormat

FIELD = tree.Path("MRM", "A")
TYPES: list[tuple[str, Cwf]] = [
    ("string", Cwf(length=3)),
    ("string", Cwf(prefix=1)),
    ("string", Cwf(terminated=True)),
    ("integer", Cwf(length=2)),
    ("integer", Cwf(length=4, order="little")),
    ("integer", Cwf(physical="packed", length=3)),
    ("integer", Cwf(physical="external", length=5, sign="leading", separate=True)),
    ("decimal", Cwf(length=4, scale=2)),
    ("decimal", Cwf(physical="external", length=6, scale=2, sign="trailing")),
    ("float", Cwf(length=4)),
    ("float", Cwf(length=8, floating="s390")),
    ("boolean", Cwf()),
    ("binary", Cwf(length=3)),
    ("date", Cwf(length=8, format="yyyyMMdd")),
    ("time", Cwf(length=6, format="HHmmss")),
    ("dateTime", Cwf(physical="seconds")),
    ("dateTime", Cwf(physical="milliseconds")),
]
VALUES: list[Any] = [
    *(None, "", "x", "1", "1.5", "1e400", "NaN", "9" * 50, "\ud800", "\N{EURO SIGN}", "\0"),
    *(0, -1, 2**70, 1.5, math.nan, math.inf, -0.0, 1e308, True, False, b"", b"x", b"\xff" * 40),
    *(
        Decimal("1.5"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        Decimal("1E+400"),
        Decimal("1E-400"),
    ),
    *(dt.date(1, 1, 1), dt.time(1, 2, 3), dt.datetime(9999, 12, 31, 23, 59, 59)),  # noqa: DTZ001
]


@pytest.mark.parametrize("ccsid", [1208, 37, 1200, 943])
@pytest.mark.parametrize(("logical", "said"), TYPES)
def test_any_value_is_written_or_refused(logical: str, said: Cwf, ccsid: int) -> None:
    formats = {"CWF": CwfFormat(ccsid), "TDS": TdsFormat(ccsid), "XML": XmlFormat(ccsid=ccsid)}
    kind = Type(Field("A", logical, CWF=said, TDS=Tds()), TDS=TdsType(delimiter=";"))
    model = Model("M", {"M": kind}, formats)
    for format in formats:
        for value in VALUES:
            try:
                message = tree.Message()
                message.body_as("MRM", model, format=format).add_last_child("A", value)
                data = message.serialise()
                tree.parse(data, domain="MRM", model=model, format=format).get(FIELD)
            except MQError as problem:
                assert problem.reason in {2119, 8101, 8125, 8130, 8150, 8151}, (format, value, problem)


def test_floats_that_are_no_numbers_are_written_as_xml_schema_says() -> None:
    model = Model("M", {"M": Type(Field("A", "float"))}, {"XML": XmlFormat()})
    for value, text in ((math.nan, b"NaN"), (math.inf, b"INF"), (-math.inf, b"-INF"), (1.5, b"1.5")):
        message = tree.Message()
        message.body_as("MRM", model).add_last_child("A", value)
        assert message.serialise() == b"<M><A>" + text + b"</A></M>"
        again = tree.parse(message.serialise(), domain="MRM", model=model).get(FIELD)
        assert again == value or (math.isnan(value) and math.isnan(again))


@pytest.mark.parametrize("text", ["1E+999999999", "-1E-999999999", "0E+999999999"])
def test_an_exponent_never_becomes_as_many_digits(text: str) -> None:
    """A few bytes of a stranger must not ask for a gigabyte."""
    model = Model("M", {"M": Type(Field("A", "decimal"))}, {"XML": XmlFormat()})
    message = tree.parse(b"<M><A>" + text.encode() + b"</A></M>", domain="MRM", model=model)
    with pytest.raises(MQError) as caught:
        message.get(FIELD)
    assert caught.value.reason == 8151
    for domain, path in (("XMLNSC", "a"), ("JSON", "Data")):
        made = tree.Message()
        made.set(tree.Path(domain, path, "b"), Decimal(text))
        assert text.encode() in made.serialise()


@pytest.mark.parametrize(
    "value", [Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"), math.nan, math.inf, "\ud800"]
)
@pytest.mark.parametrize(("domain", "path"), [("JSON", ("Data", "a")), ("SWIFT", ("Block1",))])
def test_what_json_and_swift_cannot_say_is_refused(domain: str, path: tuple[str, ...], value: Any) -> None:
    message = tree.Message()
    message.set(tree.Path(domain, *path), value)
    with pytest.raises(MQError) as caught:
        message.serialise()
    assert caught.value.reason == 8130
