"""The five Compute programs of the broker's performance report, as ESQL and hand-written with lxml.

Simple copies the message and sets a field; complex loops over 20 elements; five complex run one after
another on each other's output; very complex is five of it in one module; nested SELECT builds statements
out of invoices. Both sides parse, transform and serialise, and give the same document. The thread's
processor time is measured; how it grows, and how long compiling takes, is shown beside.
"""

from __future__ import annotations

import copy
import time
from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.runtime.context import Context
from penstock.esql.source import Source
from penstock.lab.analysis.results import Figures, Result, Row, at_least
from penstock.lab.flows.messages import path_message, sale_message
from penstock.lab.flows.programs import HEAD, LOOP, NESTED, SIMPLE
from penstock.tree import Message, parse
from tests.bench.tree_xml import rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.esql.library import Module
    from penstock.lab.load.setting import Setting

TARGET = at_least(6)
SIZES = (1, 4, 16, 64)
TIMES = 3


def program(body: str) -> Module:
    head = "CREATE COMPUTE MODULE M\nCREATE FUNCTION Main() RETURNS BOOLEAN\nBEGIN\n"
    text = f"{head}{body}\nRETURN TRUE;\nEND;\nEND MODULE;"
    return compile_sources([Source("program.esql", text)]).module("M")


def runner(module: Module, repeats: int = 1) -> Callable[[bytes], bytes]:
    """Return parse, run (once, or several modules in a row) and serialise."""

    def work(body: bytes) -> bytes:
        message = parse(body, "XML")
        for _ in range(repeats):
            output = Message()
            module.run(Context(message, output=output))
            message = output
        return message.serialise()

    return work


def measure(setting: Setting) -> Iterator[Result]:
    simple, complex_, nested = program(SIMPLE), program(HEAD + LOOP), program(NESTED)
    very = program(HEAD + LOOP * 5)
    cases: list[tuple[str, Callable[[bytes], bytes], Callable[[bytes], bytes], Callable[[int], bytes]]] = [
        ("simple", runner(simple), lxml_simple(), path_message),
        ("complex", runner(complex_), lxml_complex(1), path_message),
        ("five complex in a row", runner(complex_, 5), lxml_complex(1, 5), path_message),
        ("very complex", runner(very), lxml_complex(5), path_message),
        ("nested SELECT", runner(nested), lxml_nested(), sale_message),
    ]
    for name, ours, theirs, message in cases:
        for size in SIZES:
            body = message(size * 1024)
            assert same_document(ours(body), theirs(body)), name
            count = max(
                20,
                setting.size(4_000, 600) // (1 + size // 4) // (5 if "five" in name or "very" in name else 1),
            )
            values = setting.interleave(
                lambda w=ours, b=body, c=count: rate(w, b, c),
                lambda w=theirs, b=body, c=count: rate(w, b, c),
                times=TIMES,
            )
            yield Row(f"{name}, {size} KB", "lxml script", "/s", *values, target=TARGET)
    yield growth(setting)
    yield compilation()


def growth(setting: Setting) -> Figures:
    """Microseconds a round of the loop, and a KB of invoices, as both grow: flat is linear."""
    figures = Figures(
        "growth: microseconds a loop round, and a KB of nested SELECT", ("n", "loop round", "KB")
    )
    loop, nested = runner(program(HEAD + LOOP)), runner(program(NESTED))
    for count in (20, 200, 2_000):
        body, sale = path_message(0, count), sale_message(count * 50)
        loops = max(rate(loop, body, max(2, 4_000 // count)) for _ in range(3))
        selects = max(rate(nested, sale, max(2, 4_000 // count)) for _ in range(3))
        line = [str(count), f"{1e6 / loops / count:.2f}", f"{1e6 / selects / (len(sale) / 1024):.1f}"]
        figures.lines.append(line)
    return figures


def compilation() -> Figures:
    """Seconds of processor time from text to code, of modules with an IF and a SET in every line."""
    figures = Figures("compile time: seconds, at most 2 for 2,000 lines", ("lines", "seconds"))
    for count in (500, 2_000, 8_000):
        tested = "InputRoot.XML.CSIM.A"
        body = "\n".join(
            f"IF {tested}{i} = {i} THEN SET OutputRoot.XML.B.C{i} = {i}; END IF;" for i in range(count)
        )
        seconds = []
        for _ in range(3):
            begun = time.process_time()
            program(body)
            seconds.append(time.process_time() - begun)
        figures.lines.append([str(count), f"{min(seconds):.2f}"])
    return figures


def same_document(one: bytes, other: bytes) -> bool:
    from lxml import etree

    return etree.tostring(etree.fromstring(one), method="c14n") == etree.tostring(
        etree.fromstring(other), method="c14n"
    )


# The same by hand
def lxml_simple() -> Callable[[bytes], bytes]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)

    def work(body: bytes) -> bytes:
        out = copy.deepcopy(etree.fromstring(body, parser))
        out.find("A1").text = "x"
        return etree.tostring(out)

    return work


def lxml_complex(loops: int, rounds: int = 1) -> Callable[[bytes], bytes]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)

    def fill(case: Any) -> None:
        elements = case.find("Stack").find("ProcessingPath").findall("Element")
        path = case.find("ProcessingPath")
        if path is None:
            path = etree.SubElement(case, "ProcessingPath")
        there = path.findall("Component")
        for place, element in enumerate(elements):
            if place < len(there):
                component = there[place]
                name, transport = component.find("Name"), component.find("Transport")
                queue = transport.find("Queue")
            else:
                component = etree.SubElement(path, "Component")
                name = etree.SubElement(component, "Name")
                transport = etree.SubElement(component, "Transport")
                queue = etree.SubElement(transport, "Queue")
            name.text = element.find("COMPONENT").text
            transport.set("Type", "A")
            queue.text = element.find("QUEUE").text

    def work(body: bytes) -> bytes:
        root = etree.fromstring(body, parser)
        for _ in range(rounds):
            root = copy.deepcopy(root)
            for _ in range(loops):
                fill(root.find("TestCase"))
        return etree.tostring(root)

    return work


def lxml_nested() -> Callable[[bytes], bytes]:
    from lxml import etree

    from penstock.tree.core._values import as_characters

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    add = etree.SubElement

    def statement(data: Any, invoice: Any) -> None:
        made = add(data, "Statement", Type="Monthly", Style="Full")
        customer = add(made, "Customer")
        add(customer, "Initials").text = "".join(each.text for each in invoice.findall("Initial")[:2])
        add(customer, "Name").text = invoice.findtext("Surname")
        add(customer, "Balance").text = invoice.findtext("Balance")
        purchases = add(made, "Purchases")
        total = 0.0
        for item in invoice.findall("Item"):
            price, quantity = float(item.findtext("Price")), item.findtext("Quantity")
            if price > 0.0:
                article = add(purchases, "Article")
                add(article, "Desc").text = item.findtext("Description")
                add(article, "Cost").text = as_characters(price * 1.6)
                add(article, "Qty").text = quantity
            total += price * float(quantity) * 1.6
        add(made, "Amount", Currency="Dollars").text = as_characters(total)

    def work(body: bytes) -> bytes:
        root = etree.fromstring(body, parser)
        out = etree.Element("CSIM")
        data = add(out, "Data")
        for invoice in root.find("Data").findall("Invoice"):
            if invoice.findtext("Surname") != "Shop":
                statement(data, invoice)
        return etree.tostring(out)

    return work
