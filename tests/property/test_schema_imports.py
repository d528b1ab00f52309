"""Importers of schemas on changed input: a model that compiles, or error 8150, never another error."""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from penstock import MQError
from penstock.tree.model import Model, import_dfdl, import_message_set, import_xsd
from tests.unit.tree import test_dfdl, test_message_set, test_xsd

VALUES = ["", "-1", "0", "9" * 20, "x", "{../A}", "%LF;", "%#x110000;", "%#r00;", "unbounded", "xs:int", "("]
ATTRIBUTE = re.compile(r'="([^"]*)"')


def changed(text: str, seed: int) -> str:
    """Return a schema with some attributes of other values, or characters that are wrong."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        if chance.random() < 0.8:
            places = list(ATTRIBUTE.finditer(text))
            if places:
                place = chance.choice(places)
                value = chance.choice([*VALUES, chance.choice(places)[1]])
                text = text[: place.start(1)] + value + text[place.end(1) :]
        else:
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice('<>"&x ') + text[at + 1 :]
    return text


def compiled(model: Model, domain: str) -> None:
    for message in model.messages:
        for format in model.formats:
            model.domain(domain, message, format)


@given(st.sampled_from([test_dfdl.CSV, test_dfdl.TAGGED, test_dfdl.COBOL]), st.integers(0, 1 << 30))
def test_dfdl_schemas(text: str, seed: int) -> None:
    try:
        compiled(import_dfdl(changed(text, seed)), "DFDL")
    except MQError as refused:
        assert refused.reason == 8150


@given(st.integers(0, 1 << 30))
def test_xml_schemas(seed: int) -> None:
    try:
        compiled(import_xsd(changed(test_xsd.SCHEMA, seed)), "MRM")
    except MQError as refused:
        assert refused.reason == 8150


@given(st.integers(0, 1 << 30), st.sampled_from(["shop", "lines", "mset"]))
def test_message_sets(seed: int, which: str) -> None:
    texts = {"shop": test_message_set.SHOP, "lines": test_message_set.LINES, "mset": test_message_set.MSET}
    with tempfile.TemporaryDirectory() as folder:
        files = {which: changed(texts[which], seed)}
        try:
            compiled(import_message_set(test_message_set.written(Path(folder), **files)), "MRM")
        except MQError as refused:
            assert refused.reason == 8150
