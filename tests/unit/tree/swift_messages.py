"""SWIFT messages for tests: one that is right, of each type that has a table."""

from __future__ import annotations

from penstock.lab.flows.messages import HEADERS, MT543, MT543_LINES
from penstock.lab.flows.messages import swift_message as message

__all__ = ["HEADERS", "MT103", "MT202", "MT543", "MT543_LINES", "MT940", "message"]

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
