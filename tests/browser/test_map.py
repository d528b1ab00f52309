"""The map in a real browser with few and with many nodes: nothing overlaps, and groups can be opened."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from tests.browser.conftest import Running, pictures
from tests.patience import until

pytestmark = pytest.mark.installed
MANY = 100  # queues, each with a program
OVERLAPS = """() => {
  const rects = [...document.querySelectorAll(".graph svg g > rect")];
  const boxes = rects.map(each => each.getBoundingClientRect());
  return boxes.filter((a, i) => boxes.some((b, j) => j > i && a.left < b.right && b.left < a.right
    && a.top < b.bottom && b.top < a.bottom)).length;
}"""
NODES = "() => document.querySelectorAll('.graph svg g > rect').length"


@pytest.fixture
def many(running: Running) -> Any:
    """A hundred queues in four families, each open for input by a program of its own."""
    families = ("ORDERS", "BILLS", "STOCK", "MAIL")
    names = [f"{families[number % 4]}.{number:03}" for number in range(MANY)]
    with ExitStack() as stack:
        admin = stack.enter_context(running.qm())
        admin.mqsc("\n".join(f"DEFINE QLOCAL({name}) REPLACE" for name in names), check=True)
        for name in names:
            program = penstock.connect("QM1", home=running.served.home, application=f"reader-{name}")
            stack.enter_context(program)
            stack.enter_context(program.open(name, mq.MQOO_INPUT_SHARED))
        yield names
    with running.qm() as admin:
        admin.mqsc("\n".join(f"DELETE QLOCAL({name}) PURGE" for name in names))


def test_two_hundred_nodes_are_groups_that_open(page: Any, running: Running, many: list[str]) -> None:
    until(lambda: page.goto(running.address + "/map") and page.evaluate(NODES) > 3)  # a sample has them
    assert page.evaluate(NODES) <= 60
    assert page.evaluate(OVERLAPS) == 0
    assert "25 queues" in page.text_content(".graph svg")
    pictures(page, "map-many")
    page.click("text=ORDERS* @ QM1 (25)")
    assert "ORDERS.000" in page.text_content(".graph svg")
    assert "STOCK.002" not in page.text_content(".graph svg")
    assert page.evaluate(OVERLAPS) == 0
    pictures(page, "map-open")
    page.goto(running.address + "/map?around=ORDERS.000+%40+QM1")
    assert page.evaluate(NODES) == 2
