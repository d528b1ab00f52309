"""Connections of a program that are alike are one row; an open unit of work has its own."""

from __future__ import annotations

from typing import Any

from penstock.console.pages.channels import grouped


def connection(number: int, program: str, unit: str = "NONE") -> dict[str, Any]:
    about = {"USERID": "ann", "PID": "7", "CHANNEL": "", "CONNAME": ""}
    return {"CONN": str(number), "APPLTAG": program, "UOWSTATE": unit, **about}


def test_connections_that_are_alike_are_counted_and_units_stay_apart() -> None:
    rows = [
        connection(1, "shop"),
        connection(2, "shop"),
        connection(3, "shop", "ACTIVE"),
        connection(4, "bill"),
    ]
    found = grouped(rows)
    assert [(row["APPLTAG"], row["UOWSTATE"], row["count"]) for row in found] == [
        ("shop", "NONE", 2),
        ("shop", "ACTIVE", 1),
        ("bill", "NONE", 1),
    ]
