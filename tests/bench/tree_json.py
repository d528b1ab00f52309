"""Parse, change one field and serialise JSON, against a dict of orjson, which is no tree.

orjson decodes every value, the tree decodes none that nobody asks for: the row where all values are
read shows what that is worth. orjson is needed for the tests only.
"""

from __future__ import annotations

import json
import random
from time import thread_time
from typing import TYPE_CHECKING, Any

from penstock import tree
from penstock.lab.analysis.results import Result, Row, at_least
from tests.bench.tree_xml import rate, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

TARGET = at_least(1)
TIMES = 3
FIELD = tree.Path("JSON", "Data", "A1")


def measure(setting: Setting) -> Iterator[Result]:
    import orjson

    def theirs(body: bytes) -> bytes:
        message = orjson.loads(body)
        message["A1"] = "x"
        return orjson.dumps(message)

    for name, body in messages().items():
        assert ours(body) == theirs(body)
        count = setting.size(20_000, 4_000) // (1 + len(body) // 8_192)
        values = setting.interleave(
            lambda b=body, c=count: rate(ours, b, c), lambda b=body, c=count: rate(theirs, b, c), times=TIMES
        )
        yield Row(f"JSON {name}: parse, set, serialise", "orjson dict", "/s", *values, target=TARGET)
    body = messages()["4 KB"]
    paths = [tree.Path("JSON", "Data", name) for name in json.loads(body)]
    names = list(json.loads(body))

    def ours_all(body: bytes) -> None:
        get = tree.parse(body, domain="JSON").get
        for path in paths:
            get(path)

    def theirs_all(body: bytes) -> None:
        message = orjson.loads(body)
        for name in names:
            message[name]

    count = setting.size(10_000, 2_000)
    values = setting.interleave(
        lambda: every(ours_all, body, count), lambda: every(theirs_all, body, count), times=TIMES
    )
    yield Row("JSON 4 KB: parse, read all 30 values", "orjson dict", "/s", *values)


def ours(body: bytes) -> bytes:
    message = tree.parse(body, domain="JSON")
    message.set(FIELD, "x")
    return message.serialise()


def every(work: Any, body: bytes, count: int) -> float:
    began = thread_time()
    for _ in range(count):
        work(body)
    return count / (thread_time() - began)


def messages() -> dict[str, bytes]:
    chance = random.Random(7)
    small = {f"A{i}": words(chance, 89) for i in range(1, 11)}
    middle: dict[str, Any] = {f"A{i}": words(chance, 330) for i in range(1, 11)}
    middle |= {f"F{i}": round(chance.random() * 1e4, 6) for i in range(1, 11)}
    middle |= {f"I{i}": chance.randrange(10**7) for i in range(1, 11)}
    large = {f"A{i}": words(chance, 60) for i in range(1, 10)} | {"PAD": words(chance, 64_600)}
    bodies = {"1 KB": small, "4 KB": middle, "64 KB": large}
    return {name: json.dumps(body, separators=(",", ":")).encode() for name, body in bodies.items()}
