from __future__ import annotations

import pytest

from penstock import MQError, tree
from penstock.tree import Path


def document() -> tree.Message:
    return tree.parse(b"<a><b>1</b><c>2</c><b>3</b><d>4</d></a>", domain="XMLNSC")


def refused(call, *arguments) -> int:
    with pytest.raises(MQError) as caught:
        call(*arguments)
    return caught.value.reason


def test_moves():
    here = document().reference(Path("XMLNSC", "a"))
    assert here.to_first_child()
    assert (here.name, here.value) == ("b", "1")
    assert here.to_next(Path("b"))
    assert here.value == "3"
    assert not here.to_next(Path("b"))
    assert here.value == "3"
    assert here.to_previous_same()
    assert here.value == "1"
    assert here.to_next_same()
    assert here.to_next()
    assert here.name == "d"
    assert here.to_previous(Path("c"))
    assert here.to_parent()
    assert here.to_last_child(Path("b"))
    assert here.value == "3"
    assert here.to_parent()
    assert here.to_parent()
    assert here.to_parent()
    assert here.is_root
    assert not here.to_parent()
    assert here.to(Path("XMLNSC", "a", ("b", 2)))
    assert here.value == "3"


def test_a_move_takes_one_plain_step():
    here = document().reference(Path("XMLNSC", "a"))
    assert refused(here.to_first_child, Path("b", "c")) == 8120
    assert refused(here.to_first_child, Path(("b", 2))) == 8120


def test_growth_at_all_four_places():
    message = document()
    here = message.reference(Path("XMLNSC", "a", "c"))
    here.add_previous("x", "p")
    here.add_next("x", "n")
    here.add_first_child("x", "f")
    here.add_last_child("y", "l", type=tree.XMLNSC_TYPES["Attribute"])
    assert message.serialise() == b'<a><b>1</b><x>p</x><c y="l">2<x>f</x></c><x>n</x><b>3</b><d>4</d></a>'


def test_reference_to_a_deleted_field_says_so():
    message = document()
    here = message.reference(Path("XMLNSC", "a", "b"))
    message.delete(Path("XMLNSC", "a"))
    assert here.is_deleted
    for call in (
        here.to_parent,
        here.to_next,
        here.delete,
        here.detach,
        lambda: here.value,
        lambda: here.name,
    ):
        assert refused(call) == 8122
    assert "deleted" in repr(here)


def test_reference_keeps_its_message_alive():
    here = document().reference(Path("XMLNSC", "a", "b"))
    assert here.value == "1"


def test_fields_may_be_deleted_while_iterating():
    message = document()
    for child in message.reference(Path("XMLNSC", "a")):
        if child.name == "b":
            child.delete()
    assert message.serialise() == b"<a><c>2</c><d>4</d></a>"


def test_detach_and_attach():
    message = document()
    here = message.reference(Path("XMLNSC", "a", "b"))
    here.detach()
    assert here.is_detached
    assert not here.to_next()
    assert refused(here.add_next, "x") == 8123
    message.reference(Path("XMLNSC", "a", "d")).attach_last_child(here)
    assert message.serialise() == b"<a><c>2</c><b>3</b><d>4<b>1</b></d></a>"
    above = message.reference(Path("XMLNSC", "a"))
    assert refused(here.attach_last_child, above) == 8123
    assert refused(here.attach_last_child, message.reference()) == 8123
    assert refused(message.reference().delete) == 8123


def test_properties_of_a_field_can_be_changed():
    message = document()
    here = message.reference(Path("XMLNSC", "a", "b"))
    here.name = "renamed"
    here.namespace = "u"
    assert message.get(Path("XMLNSC", "a", "{u}renamed")) == "1"
    here.namespace = ""
    here.type = tree.XMLNSC_TYPES["Attribute"]
    assert here.is_attribute
    assert message.serialise() == b'<a renamed="1"><c>2</c><b>3</b><d>4</d></a>'


def test_references_compare_by_place():
    message = document()
    one, two = message.reference(Path("XMLNSC", "a")), message.reference(Path("XMLNSC", "a"))
    assert one == two
    assert hash(one) == hash(two)
    two.to_first_child()
    assert one != two
    assert one != document().reference(Path("XMLNSC", "a"))


def test_fields_from_a_reference():
    message = document()
    here = message.reference(Path("XMLNSC", "a"))
    assert here.get(Path("c")) == "2"
    assert here.get(Path("z")) is tree.MISSING
    here.set(Path("e", "f"), 5)
    here.set_at(Path("e", ("f", ...)), 2, 6)
    assert here.get_at(Path("e", ("f", ...)), 2) == 6
    assert here.cardinality(Path("e", "f")) == 2
    assert here.exists(Path("e"))
    assert here.delete(Path("e"))
    assert not here.delete(Path("e"))
    here.delete_children()
    assert message.serialise() == b"<a/>"


def test_references_are_not_made_by_hand():
    with pytest.raises(TypeError):
        tree.Reference()


def test_the_value_of_a_leaf_is_told_from_that_of_a_folder():
    message = document()

    assert message.reference(Path("XMLNSC", "a", "c")).leaf_value() == "2"
    assert message.reference(Path("XMLNSC", "a")).leaf_value() is tree.MISSING
