"""SWIFT messages for tests: one that is right, of each type that has a table."""

from __future__ import annotations

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


def message(lines: list[str], type_: str = "543") -> bytes:
    headers = HEADERS.replace("I543", f"I{type_}")
    text = "".join(line + "\r\n" for line in lines)
    return f"{headers}{{4:\r\n{text}-}}{{5:{{MAC:00000000}}{{CHK:123456789ABC}}}}".encode()


MT543 = message(MT543_LINES)
MT103 = message(
    [
        ":20:REF1",
        ":23B:CRED",
        ":32A:240131EUR1234,56",
        ":33B:EUR1234,56",
        ":50K:/DE89370400440532013000",
        "A CUSTOMER",
        "SOME STREET",
        ":52A:BANKBEBB",
        ":57A:/C/123",
        "BANKDEFF",
        ":59:/BE71096123456769",
        "ANOTHER",
        ":70:INVOICE 5",
        ":71A:SHA",
    ],
    "103",
)
MT202 = message([":20:R1", ":21:R2", ":32A:240131EUR5,", ":53B:/123", ":58A:BANKDEFF"], "202")
MT940 = message(
    [
        ":20:STMT",
        ":25:123456",
        ":28C:1/1",
        ":60F:C240130EUR100,00",
        ":61:2401310131D12,34NTRFREF//BANKREF",
        "DETAILS",
        ":86:SOME INFORMATION",
        ":61:240131C5,NMSCREF",
        ":62F:C240131EUR92,66",
        ":64:C240131EUR92,66",
        ":86:END",
    ],
    "940",
)
