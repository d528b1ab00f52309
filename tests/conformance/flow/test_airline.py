"""The airline reservations example: every way a message can take through its three flows."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.esql.database.databases import Databases
from penstock.flow import CompiledFlow, Project
from penstock.flow.running.listener import listener_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AIRLINE = Path(__file__).resolve().parents[3] / "examples" / "airline"
NODES = {
    "AggregateControl",
    "AggregateReply",
    "AggregateRequest",
    "Compute",
    "Database",
    "Filter",
    "Label",
    "RouteToLabel",
    "Throw",
    "Trace",
}
TRIP = (
    "<Reservation><Action>trip</Action><Passenger>Ann</Passenger><City>Lima</City><Nights>3</Nights>"
    "</Reservation>"
)


class Airline:
    """The example on a queue manager and a database of its own."""

    def __init__(self, qm: Any, database: Path) -> None:
        self.qm = qm
        self.database = sqlite3.connect(database, isolation_level=None)
        self.database.executescript((AIRLINE / "tables.sql").read_text())
        for line in (AIRLINE / "airline.mqsc").read_text().splitlines():
            assert all(reply.reason == 0 for reply in qm.mqsc(line)), line
        project = Project(AIRLINE, databases=Databases({"AIRLINE": f"sqlite:///{database}"}))
        self.flows = {name: CompiledFlow(flow, project) for name, flow in project.flows.items()}

    def ask(self, text: str) -> None:
        self.qm.put("AIRLINE.IN", text.encode(), persistent=True)
        self.run("reservations")

    def run(self, name: str, *labels: str, clock: Callable[[], float] = time.time) -> None:
        flow = self.flows[name]
        for label in labels or flow.driven:
            listener = listener_for(flow, label, lambda: self.qm, sources={"clock": clock})
            listener.run(threading.Event(), until_empty=True)

    def got(self, queue: str) -> list[str]:
        return [message.body.decode() for message in self.qm.get_many(queue, 100)]

    def rows(self) -> list[tuple[str, str, int]]:
        return self.database.execute("SELECT passenger, flight, seats FROM reservation").fetchall()


@pytest.fixture
def airline(tmp_path: Path) -> Iterator[Airline]:
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        yield Airline(qm, tmp_path / "airline.db")


def reservation(action: str, seats: int | None = None) -> str:
    asked = "" if seats is None else f"<Seats>{seats}</Seats>"
    return (
        f"<Reservation><Action>{action}</Action><Passenger>Ann</Passenger><Flight>PS12</Flight>"
        f"{asked}</Reservation>"
    )


def test_it_uses_all_nodes_of_the_sample(airline: Airline) -> None:
    used = {type(node).__name__ for flow in airline.flows.values() for node in flow.flat.nodes.values()}
    assert used >= NODES


def test_seats_are_booked_and_cancelled(airline: Airline) -> None:
    airline.ask(reservation("book", 2))
    assert airline.rows() == [("Ann", "PS12", 2)]
    airline.ask(reservation("cancel"))
    assert airline.rows() == []
    confirmed = '<Confirmation action="{}"><Passenger>Ann</Passenger><Flight>PS12</Flight></Confirmation>'
    assert airline.got("AIRLINE.OUT") == [confirmed.format("book"), confirmed.format("cancel")]


@pytest.mark.parametrize(
    "text", [reservation("book", 0), reservation("book"), reservation("fly"), "<", "<R/>"]
)
def test_what_is_no_reservation_fails_and_leaves_no_row(airline: Airline, text: str) -> None:
    airline.ask(text)
    assert airline.got("AIRLINE.FAILED") == [text]
    assert airline.rows() == []


def test_a_trip_is_one_answer_of_three_offers(airline: Airline) -> None:
    airline.ask(TRIP)
    airline.run("suppliers")
    airline.run("travel")
    (answer,) = airline.got("AIRLINE.OUT")
    assert answer == (
        "<Trip><Passenger>Ann</Passenger><FLIGHT>424</FLIGHT><HOTEL>270</HOTEL><TAXI>35</TAXI>"
        "<Total>729</Total></Trip>"
    )


def test_a_supplier_that_is_too_slow_is_left_out(airline: Airline) -> None:
    airline.ask(TRIP)
    airline.run("suppliers", "Flights", "Taxis")
    airline.run("travel", "Replies")
    airline.run("travel", "Collect", clock=lambda: time.time() + 11)
    (answer,) = airline.got("AIRLINE.OUT")
    assert answer == (
        '<Trip complete="no"><Passenger>Ann</Passenger><FLIGHT>424</FLIGHT><TAXI>35</TAXI>'
        "<Total>459</Total></Trip>"
    )
    airline.run("suppliers")
    airline.run("travel", "Replies")
    airline.run("travel", "Collect", clock=lambda: time.time() + 6)
    assert airline.got("AIRLINE.UNKNOWN") == ["<Offer><Passenger>Ann</Passenger><Price>270</Price></Offer>"]
