"""The registry of definitions: namespaces, order, ids."""

from __future__ import annotations

import random

import pytest

from penstock.qmgr.objects import (
    SORTED_AT_ONCE,
    Definition,
    Objects,
    authority_record_name,
    channel_rule_name,
    namespace_of,
)


def filled(*names: str) -> Objects:
    objects = Objects()
    for number, name in enumerate(names, 1):
        objects.put(Definition("QLOCAL", name, {}, number))
    return objects


def test_four_kinds_of_queue_share_a_namespace():
    assert {namespace_of(kind, {}) for kind in ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")} == {"QUEUE"}


def test_client_channels_have_a_namespace_of_their_own():
    objects = Objects()
    server = Definition("CHANNEL", "C", {"CHLTYPE": "SVRCONN"})
    client = Definition("CHANNEL", "C", {"CHLTYPE": "CLNTCONN"})
    objects.put(server)
    objects.put(client)
    assert objects.find("CHANNEL", "C") is server
    assert objects.find("CLNTCONN", "C") is client


def test_all_is_sorted_by_name_after_every_change():
    objects = filled("B", "A")
    assert [each.name for each in objects.all("QUEUE")] == ["A", "B"]
    objects.put(Definition("QALIAS", "AB"))
    objects.remove(objects.find("QUEUE", "B"))
    assert [each.name for each in objects.all("QUEUE")] == ["A", "AB"]


def test_names_with_a_prefix_come_in_order():
    objects = filled("ORD.B", "ORD.A", "ORE", "AAA", "ORD")
    assert [each.name for each in objects.starting_with("QUEUE", "ORD")] == ["ORD", "ORD.A", "ORD.B"]
    assert len(list(objects.starting_with("QUEUE", ""))) == 5


def test_what_is_removed_while_it_is_listed_is_left_out():
    objects = filled("A", "B", "C")
    seen = []
    for each in objects.starting_with("QUEUE", ""):
        seen.append(each.name)
        if each.name == "A":
            objects.remove(objects.find("QUEUE", "B"))
    assert seen == ["A", "C"]


def test_putting_a_name_again_takes_its_place():
    objects = filled("A")
    objects.put(Definition("QLOCAL", "A", {"MAXDEPTH": 1}, 1))
    assert objects.count("QUEUE") == 1
    assert objects.find("QUEUE", "A").attributes == {"MAXDEPTH": 1}


def test_removing_what_is_not_there_raises():
    with pytest.raises(KeyError):
        Objects().remove(Definition("QLOCAL", "A"))


def test_next_id_is_above_every_id():
    objects = filled("A", "B")
    objects.put(Definition("TOPIC", "T", {}, 41))
    assert objects.next_id == 42


def test_iteration_gives_every_definition_once():
    objects = filled("A", "B")
    objects.put(Definition("TOPIC", "A"))
    assert sorted((each.kind, each.name) for each in objects) == [
        ("QLOCAL", "A"),
        ("QLOCAL", "B"),
        ("TOPIC", "A"),
    ]


def test_records_are_named_by_what_makes_them_different():
    one = channel_rule_name("C", {"TYPE": "USERMAP", "CLNTUSER": "a", "ADDRESS": ""})
    two = channel_rule_name("C", {"TYPE": "USERMAP", "CLNTUSER": "b", "ADDRESS": ""})
    block = channel_rule_name("C", {"TYPE": "BLOCKUSER", "USERLIST": ("x",)})
    assert len({one, two, block}) == 3
    assert block == channel_rule_name("C", {"TYPE": "BLOCKUSER", "USERLIST": ("y",)})
    assert authority_record_name("P", "QUEUE", "GROUP", "g") != authority_record_name(
        "P", "QUEUE", "PRINCIPAL", "g"
    )


def test_a_definition_knows_its_subtype():
    assert Definition("CHANNEL", "C", {"CHLTYPE": "SDR"}).subtype == "SDR"
    assert Definition("QLOCAL", "Q").subtype == ""


def test_very_many_names_are_sorted_part_by_part_while_they_change() -> None:
    objects = Objects()
    count = 3 * SORTED_AT_ONCE
    order = random.Random(7).sample(range(count), count)  # seed 7
    for number in order:
        objects.put(Definition("SUB", f"S{number:06d}"))
    found = objects.leafed("SUB", "S")
    parts = [next(found) for _ in range(3)]
    assert parts == [None] * 3
    objects.remove(objects.find("SUB", "S000001"))
    objects.put(Definition("SUB", "S000000.5"))
    assert [each.name for each in found] == [f"S{number:06d}" for number in range(count) if number != 1]
    assert [each.name for each in objects.leafed("SUB", "S00000") if each is not None] == sorted(
        ["S000000.5", *(f"S00000{number}" for number in range(10) if number != 1)]
    )
