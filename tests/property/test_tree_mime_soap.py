"""MIME and SOAP there and back."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import tree
from penstock.tree import Path
from penstock.tree.xml.soap_fault import Fault, fault_of, set_fault

CONTENT = st.binary(max_size=60)
HOW = st.sampled_from([None, "base64", "quoted-printable", "binary"])
PART = st.recursive(
    st.tuples(HOW, CONTENT), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=6
)


def build(folder: tree.Reference, part: Any, level: int) -> None:
    if isinstance(part, list):
        folder.set(Path("Content-Type"), f"multipart/mixed; boundary=level-{level}-mark")
        parts = folder.add_last_child("Parts")
        for inner in part:
            build(parts.add_last_child("Part"), inner, level + 1)
        return
    how, content = part
    folder.set(Path("Content-Type"), "application/octet-stream")
    if how is not None:
        folder.set(Path("Content-Transfer-Encoding"), how)
    folder.set(Path("Data", "BLOB", "BLOB"), content)


@given(PART)
@settings(max_examples=200)
def test_a_mime_document_is_read_again_as_it_was(part: Any) -> None:
    message = tree.Message()
    build(message.create(Path("MIME")), part, 0)
    written = message.serialise()
    again = tree.parse(written, domain="MIME")
    assert str(again) == str(message)
    again.set(Path("MIME", "X-Extra"), "1")
    again.delete(Path("MIME", "X-Extra"))
    assert again.serialise() == written


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12)
NAME = st.text("abcXYZ", min_size=1, max_size=5)
NAMESPACE = st.sampled_from(["", "urn:a", "urn:b"])
FIELDS = st.lists(st.tuples(NAME, NAMESPACE, TEXT), max_size=5)


@given(st.sampled_from(["1.1", "1.2"]), FIELDS, FIELDS)
@settings(max_examples=200)
def test_an_envelope_is_read_again_as_it_was(version: str, header: Any, body: Any) -> None:
    message = tree.Message()
    message.set(Path("SOAP", "Context", "SOAP_Version"), version)
    for part, fields in (("Header", header), ("Body", body)):
        folder = message.create(Path("SOAP", part))
        for name, namespace, text in fields:
            folder.add_last_child(name, text, namespace=namespace)
    again = tree.parse(message.serialise(), domain="SOAP")
    assert again.get(Path("SOAP", "Context", "SOAP_Version")) == version
    for part, fields in (("Header", header), ("Body", body)):
        place = again.reference(Path("SOAP", part))
        found = [] if place is None else [(c.name, c.namespace, c.value) for c in place if not c.is_attribute]
        assert found == [(name, namespace, text) for name, namespace, text in fields]


@given(st.sampled_from(["1.1", "1.2"]), st.sampled_from(["Sender", "Receiver", "MustUnderstand"]), TEXT, TEXT)
@settings(max_examples=100)
def test_a_fault_is_read_again_as_it_was(version: str, code: str, reason: str, detail: str) -> None:
    message = tree.Message()
    message.set(Path("SOAP", "Context", "SOAP_Version"), version)
    set_fault(message, Fault(code, reason, "", detail))
    assert fault_of(tree.parse(message.serialise(), domain="SOAP")) == Fault(code, reason, "", detail)
