"""What compiled programs call on a Reference: reads without MISSING, lists, copies, whole trees."""

from __future__ import annotations

import pytest

from penstock import tree
from penstock.model.errors import MQError

ORDER = b'<o><i n="1">nut</i><i n="2">bolt</i><t>x</t></o>'
ITEMS = tree.Path("XMLNSC", "o", "i")
ITEM = tree.Path("XMLNSC", "o", ("i", ...))


def root_of(data: bytes = ORDER) -> tree.Reference:
    root = tree.parse(data, domain="XMLNSC").reference()
    assert root is not None
    return root


def test_read_gives_none_for_what_is_missing() -> None:
    root = root_of()
    assert root.read(tree.Path("XMLNSC", "o", "t")) == "x"
    assert root.read(tree.Path("XMLNSC", "nowhere")) is None
    assert [root.read_at(ITEM, index) for index in (1, 2, 3)] == ["nut", "bolt", None]


def test_each_visits_matches_and_not_what_is_added_meanwhile() -> None:
    root = root_of()
    parent = root.create(tree.Path("XMLNSC", "o"))
    seen = []
    for field in root.each(ITEMS):
        seen.append(field.value)
        parent.append(tree.Path("i")).value = "new"
    assert seen == ["nut", "bolt"]
    assert root.cardinality(ITEMS) == 4
    assert list(root.each(tree.Path("XMLNSC", "no", "such"))) == []


def test_each_goes_on_when_the_field_at_hand_is_deleted() -> None:
    root = root_of()
    for field in root.each(ITEMS):
        field.delete()
    assert not root.exists(ITEMS)


def test_a_list_is_replaced_by_newer_fields() -> None:
    root = root_of()
    parent = root.create(tree.Path("XMLNSC", "o"))
    newest = parent.newest
    parent.append(tree.Path("i")).value = "screw"
    parent.delete_older(tree.Path("i"), newest)
    assert [field.value for field in root.each(ITEMS)] == ["screw"]


def test_copy_from_takes_the_subtree_and_deletes_when_there_is_none() -> None:
    source, target = root_of(), tree.Message().reference()
    assert target is not None
    path = tree.Path("XMLNSC", "x", "item")
    assert target.copy_from(path, source, ITEM, None, 2)
    assert target.read(path / "@n") == "2"
    assert not target.copy_from(path, source, ITEM, None, 9)
    assert not target.exists(path)


def test_copy_within_a_tree_where_one_field_is_part_of_the_other() -> None:
    root = root_of()
    inner, outer = tree.Path("XMLNSC", "o", "t"), tree.Path("XMLNSC", "o")
    root.copy_from(inner, root, outer)
    assert root.read(tree.Path("XMLNSC", "o", "t", "i")) == "nut"
    root.copy_from(outer, root, inner)
    assert root.read(tree.Path("XMLNSC", "o", "t")) == "x"


def test_a_whole_tree_becomes_another_and_is_cleared() -> None:
    message = tree.Message()
    target = message.reference()
    assert target is not None
    target.become(root_of())
    assert message.serialise() == ORDER
    field = target.reference(ITEMS)
    target.clear()
    assert list(target) == []
    assert field is not None
    with pytest.raises(MQError, match="deleted"):
        field.value  # noqa: B018
    target.become(root_of(b"<a>1</a>"))
    target.become(root_of(b"<b>2</b>"))
    assert message.serialise() == b"<b>2</b>"


def test_a_root_takes_the_children_of_a_field() -> None:
    target = tree.Message().reference()
    assert target is not None
    source = root_of().reference(tree.Path("XMLNSC", "o"))
    assert source is not None
    target.become(source)
    assert [field.name for field in target] == ["i", "i", "t"]
    with pytest.raises(MQError, match="root"):
        source.become(target)
