"""Messages of the broker's performance report: a path, a sale, 30 fields, an MT543."""

from __future__ import annotations

import random

ELEMENTS = 20
TEXTS, FLOATS, INTEGERS = ([f"{letter}{i}" for i in range(10)] for letter in "AFI")
ENVELOPE = 900  # bytes of a message beside its padding, about
HEADERS = "{1:F01BANKBEBBAXXX0000000000}{2:I543BANKDEFFXXXXN}{3:{108:MUR0001}{121:0f5c}}"

MT543_LINES = [
    ":16R:GENL",
    ":20C::SEME//REF0001",
    ":23G:NEWM",
    ":98C::PREP//20240130101112",
    ":16R:LINK",
    ":13A::LINK//543",
    ":20C::PREV//REF0000",
    ":16S:LINK",
    ":16S:GENL",
    ":16R:TRADDET",
    ":94B::TRAD/ABCD/EXCH/XETR",
    ":98A::SETT//20240202",
    ":98A::TRAD//20240131",
    ":90B::DEAL//ACTU/EUR101,25",
    ":35B:ISIN US0378331005",
    "APPLE INC.",
    "COMMON STOCK",
    ":16R:FIA",
    ":94B::PLIS//EXCH/XETR",
    ":22F::MICO//A001",
    ":16S:FIA",
    ":22F::PROC//OPEP",
    ":25D::MTCH//MACH",
    ":70E::SPRO//DELIVER ON TIME",
    "PLEASE",
    ":16S:TRADDET",
    ":16R:FIAC",
    ":36B::SETT//UNIT/1000,",
    ":95P::ACOW//BANKBEBB",
    ":97A::SAFE//123456789",
    ":97A::CASH//987654321",
    ":94F::SAFE//NCSD/DAKVDEFF",
    ":16R:BREAK",
    ":36B::LOTS//UNIT/500,",
    ":98A::LOTS//20240101",
    ":16S:BREAK",
    ":16S:FIAC",
    ":16R:SETDET",
    ":22F::SETR//TRAD",
    ":22F::STCO/ABC/NOMC",
    ":16R:SETPRTY",
    ":95P::DEAG//BANKBEBB",
    ":97A::SAFE//111",
    ":16S:SETPRTY",
    ":16R:SETPRTY",
    ":95P::PSET//DAKVDEFFXXX",
    ":16S:SETPRTY",
    ":16R:CSHPRTY",
    ":95Q::ACCW//A BANK",
    "SOME STREET",
    ":97A::CASH//222",
    ":16S:CSHPRTY",
    ":16R:AMT",
    ":19A::SETT//EUR101250,",
    ":98A::VALU//20240202",
    ":16S:AMT",
    ":16R:AMT",
    ":19A::ACRU//NEUR12,5",
    ":16S:AMT",
    ":16S:SETDET",
    ":16R:OTHRPRTY",
    ":95P::EXCH//XETRDEFF",
    ":16S:OTHRPRTY",
]


def swift_message(lines: list[str], type_: str = "543") -> bytes:
    """Return a message of a type with its headers and trailers."""
    headers = HEADERS.replace("I543", f"I{type_}")
    text = "".join(line + "\r\n" for line in lines)
    return f"{headers}{{4:\r\n{text}-}}{{5:{{MAC:00000000}}{{CHK:123456789ABC}}}}".encode()


MT543 = swift_message(MT543_LINES)


def path_message(size: int, elements: int = ELEMENTS) -> bytes:
    """Return a path of elements, filled up to a size."""
    items = "".join(
        f"<Element><COMPONENT>C{i}</COMPONENT><QUEUE>Q.{i}</QUEUE></Element>" for i in range(elements)
    )
    head = f"<CSIM><A1>a</A1><TestCase><Stack><ProcessingPath>{items}</ProcessingPath></Stack></TestCase>"
    return f"{head}<Pad>{'x' * max(1, size - len(head) - 24)}</Pad></CSIM>".encode()


def sale_message(size: int) -> bytes:
    """Return invoices, as many as a size has room for."""
    item = "<Item><Description>Twister</Description><Price>{}</Price><Quantity>{}</Quantity></Item>"
    invoice = (
        "<Invoice><Initial>K</Initial><Initial>A</Initial><Surname>{}</Surname><Balance>81.20</Balance>"
        + item.format("27.95", 2)
        + item.format("0.00", 1)
        + item.format("14.99", 3)
        + "</Invoice>"
    )
    count = max(2, round((size - 40) / len(invoice)))
    names = ("Braithwaite", "Shop", "Dunn")
    return (
        "<CSIM><Data>" + "".join(invoice.format(names[i % 3]) for i in range(count)) + "</Data></CSIM>"
    ).encode()


def values_of(padding: int) -> dict[str, str | float | int]:
    """Return 30 fields (10 short strings, 10 floats, 10 integers) and padding."""
    chance = random.Random(7)
    found: dict[str, str | float | int] = {name: f"text of {name}" for name in TEXTS}
    found |= {name: round(chance.random() * 1e4, 6) for name in FLOATS}
    found |= {name: chance.randrange(10**7) for name in INTEGERS}
    return found | {"PAD": "x" * padding}


def generic(size: int) -> bytes:
    """Return the 30 fields as generic XML of about a size."""
    values = values_of(size - ENVELOPE)
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
    return f"<CSIM>{inner}</CSIM>".encode()
