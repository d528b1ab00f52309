from __future__ import annotations

import copy
import pickle
from decimal import Decimal

import pytest

from penstock import MQError, tree
from penstock.tree import MISSING, Path

TOTAL = Path("XMLNSC", "Order", "Total")


def order(body: bytes = b"<Order><Total>5</Total></Order>") -> tree.Message:
    return tree.parse(body, domain="XMLNSC")


def reason(call, *arguments, **named) -> int:
    with pytest.raises(MQError) as caught:
        call(*arguments, **named)
    return caught.value.reason


def test_get_set_copy_serialise():
    message = order()
    assert message.get(TOTAL) == "5"
    message.set(TOTAL, 6)
    other = message.copy()
    other.set(TOTAL, 7)
    assert message.get(TOTAL) == 6
    assert message.serialise() == b"<Order><Total>6</Total></Order>"
    assert other.serialise() == b"<Order><Total>7</Total></Order>"
    assert copy.deepcopy(message).serialise() == message.serialise()


def test_missing_and_null_differ():
    message = order()
    assert message.get(Path("XMLNSC", "Order", "Nothing")) is MISSING
    message.set(TOTAL, None)
    assert message.get(TOTAL) is None
    assert message.exists(TOTAL)
    assert not MISSING
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING  # noqa: S301


def test_untouched_body_comes_back_as_the_same_object():
    body = b"<Order >\n <Total>5</Total><!-- kept --></Order>"
    message = order(body)
    assert message.serialise() is body
    assert not message.is_parsed
    assert message.get(TOTAL) == "5"
    assert message.is_parsed
    assert message.serialise() is body
    message.set(Path("Properties", "Priority"), 5)
    assert message.serialise() == body


def test_bad_body_is_found_when_touched_or_at_once():
    message = order(b"<Order>")
    assert message.serialise() == b"<Order>"
    assert reason(message.get, TOTAL) == 8101
    assert reason(message.get, TOTAL) == 8101
    assert reason(tree.parse, b"<Order>", domain="XMLNSC", timing="immediate") == 8101


def test_buffers_that_could_change_are_copied():
    body = bytearray(b"<a>1</a>")
    message = tree.parse(body, domain="XMLNSC")
    body[3:4] = b"2"
    assert message.get(Path("XMLNSC", "a")) == "1"
    assert tree.parse(memoryview(b"<a>1</a>"), domain="XMLNSC").get(Path("XMLNSC", "a")) == "1"
    assert reason(tree.parse, "<a/>", domain="XMLNSC") == 8042


def test_indexes_count_from_one_and_from_the_end():
    message = order(b"<a><b>1</b><c/><b>2</b><b>3</b></a>")
    values = [message.get(Path("XMLNSC", "a", ("b", i))) for i in (1, 2, 3, 4, -1, -3, -4)]
    assert values == ["1", "2", "3", MISSING, "3", "1", MISSING]
    assert message.cardinality(Path("XMLNSC", "a", "b")) == 3
    assert message.get(Path("XMLNSC", "*", ("*", 2))) == ""


def test_gap_in_an_index_is_refused():
    message = order(b"<a><b>1</b></a>")
    message.set(Path("XMLNSC", "a", ("b", 2)), "2")
    assert reason(message.set, Path("XMLNSC", "a", ("b", 4)), "4") == 8121
    message.set(Path("XMLNSC", "a", ("c", -1)), "c")
    assert reason(message.set, Path("XMLNSC", "a", ("c", -2)), "4") == 8121
    assert message.serialise() == b"<a><b>1</b><b>2</b><c>c</c></a>"


def test_open_indexes_are_filled_in_by_the_call():
    message = order(b"<a><b><c>1</c><c>2</c></b><b><c>3</c></b></a>")
    path = Path("XMLNSC", "a", ("b", ...), ("c", ...))
    assert [message.get_at(path, at) for at in ((1, 2), (2, 1), (3, 1))] == ["2", "3", MISSING]
    message.set_at(path, (2, 2), "4")
    assert message.cardinality(Path("XMLNSC", "a", ("b", ...), "c"), 2) == 2
    assert reason(message.get, path) == 8120
    assert reason(message.get_at, path, 1) == 8120
    assert reason(message.get_at, Path("XMLNSC"), 1) == 8120


def test_loops_over_indexes_are_right_forwards_backwards_and_at_random():
    count = 300
    message = order(b"<a>" + b"".join(b"<b>%d</b><x/>" % i for i in range(1, count + 1)) + b"</a>")
    path = Path("XMLNSC", "a", ("b", ...))
    for order_of in (range(1, count + 1), range(count, 0, -1), [7, 200, 3, 299, 150, 151, 149, 1, 300]):
        assert [message.get_at(path, i) for i in order_of] == [str(i) for i in order_of]


def test_set_takes_children_and_set_value_leaves_them():
    message = order(b'<Order><Total currency="EUR">5</Total></Order>')
    message.set_value(TOTAL, Decimal("6.50"))
    assert message.serialise() == b'<Order><Total currency="EUR">6.50</Total></Order>'
    message.set(TOTAL, 7)
    assert message.serialise() == b"<Order><Total>7</Total></Order>"


def test_namespaces_in_paths():
    message = order(b'<a xmlns="u" xmlns:p="v"><p:b>1</p:b><b>2</b><b xmlns="">3</b></a>')
    a = Path("XMLNSC", "{u}a")
    assert [message.get(a / step) for step in ("{v}b", "{u}b", "b", "{*}b", "{w}b")] == [
        "1",
        "2",
        "3",
        "1",
        MISSING,
    ]
    assert message.get(Path("XMLNSC", "a")) is MISSING
    message.set(a / "{w}c", "4")
    message.set(a / "@{v}d", "5")
    assert message.get(a / "{w}c") == "4"
    assert b'<NS1:c xmlns:NS1="w">4</NS1:c>' in message.serialise()
    assert b'p:d="5"' in message.serialise()


def test_attribute_steps():
    message = order(b'<a b="1"><b>2</b></a>')
    assert message.get(Path("XMLNSC", "a", "@b")) == "1"
    assert message.get(Path("XMLNSC", "a", ("b", 2))) == "2"
    message.set(Path("XMLNSC", "a", "@c"), 'x"<&\n')
    assert message.serialise() == b'<a b="1" c="x&quot;&lt;&amp;&#10;"><b>2</b></a>'


def test_delete():
    message = order(b"<a><b>1</b><c/><b>2</b></a>")
    assert message.delete(Path("XMLNSC", "a", "b"))
    assert message.get(Path("XMLNSC", "a", "b")) == "2"
    assert not message.delete(Path("XMLNSC", "a", "z"))
    assert message.serialise() == b"<a><c/><b>2</b></a>"


def test_new_message_from_nothing():
    message = tree.Message()
    assert message.serialise() == b""
    message.set(Path("XMLNSC", "a", "b"), "1")
    message.set(Path("Properties", "CodedCharSetId"), 1208)
    assert [folder.name for folder in message] == ["Properties", "XMLNSC"]
    assert message.domain == "XMLNSC"
    assert message.serialise() == b"<a><b>1</b></a>"
    message.set(Path("Nonsense", "b"), "1")
    assert reason(message.serialise) == 8131


def test_values_are_esql_types():
    message = order()
    assert reason(message.set, TOTAL, [1]) == 8124
    message.set(TOTAL, bytearray(b"ab"))
    assert message.get(TOTAL) == b"ab"

    class Text(str):
        __slots__ = ()

    message.set(TOTAL, Text("x"))
    assert type(message.get(TOTAL)) is str


def test_path_errors():
    for steps in (("",), ("{u",), (1,), (("a", 0),), (("a", True),), (("a", 1, 2),), ("@",), ("\ud800",)):
        assert reason(Path, *steps) == 8120
    assert reason(order().set, TOTAL / "*", 1) == 8120


def test_paths_are_values():
    path = Path("XMLNSC", ("b", 2), "{u}c", "@d", "*", ("e", ...), tree.Step("@f"))
    assert path == Path(*path.steps)
    assert hash(path) == hash(Path(*path.steps))
    assert pickle.loads(pickle.dumps(path)) == path  # noqa: S301
    assert eval(repr(path), {"Path": Path, "Step": tree.Step}) == path  # noqa: S307
    assert len(path / "g") == len(path) + 1


def test_path_serves_trees_of_any_shape():
    path = Path("XMLNSC", "a", "t")
    bodies = [
        (b"<a><t>1</t></a>", "1"),
        (b"<a><x/><t>2</t></a>", "2"),
        (b"<a><x/></a>", MISSING),
        (b"<a><t>3</t><t>4</t></a>", "3"),
        (b"<a/>", MISSING),
        (b"<b/>", MISSING),
        (b"<a><x/><x/><y/><t>5</t></a>", "5"),
        (b"<a t='6'><t>7</t></a>", "6"),
    ]
    for _ in range(3):
        for body, value in bodies + bodies[::-1]:
            assert order(body).get(path) == value


def test_hints_do_not_outlive_changes():
    path = Path("XMLNSC", "a", "t")
    message = order(b"<a><x/><t>1</t></a>")
    assert message.get(path) == "1"
    first = message.reference(Path("XMLNSC", "a", "x"))
    first.name = "t"
    assert message.get(path) == ""
    first.add_previous("t", "0")
    assert message.get(path) == "0"
    message.delete(path)
    message.delete(path)
    assert message.get(path) == "1"
    message.delete(path)
    assert message.get(path) is MISSING
    message.set(path, "9")
    assert message.get(path) == "9"


def test_message_knows_its_domains():
    assert {"XMLNSC", "XMLNS", "XML", "JSON", "BLOB", "Properties"} <= set(tree.domain_names())
    assert reason(tree.parse, b"", domain="NOPE") == 8131
    assert reason(tree.parse, b"", domain="JSON", model=object()) == 8132
    assert reason(tree.parse, b"", domain="Properties", timing="immediate") == 8131


def test_str_shows_types_names_and_values():
    shown = str(order(b'<a b="1"><c>x</c></a>'))
    assert shown.splitlines() == [
        "(0x01000000:Folder):XMLNSC (",
        "  (0x01000000:Folder):a (",
        "    (0x03000100:Attribute):b = '1' (CHARACTER)",
        "    (0x03000000:Field):c = 'x' (CHARACTER)",
        "  )",
        ")",
    ]


def test_a_domain_written_in_python():
    class Lines(tree.Domain):
        def parse_into(self, folder, data):
            for line in data.split(b"\n"):
                folder.add_last_child("Line", line.decode())

        def serialise_from(self, folder):
            return b"\n".join(line.value.encode() for line in folder)

    tree.register(Lines("LINES"))
    message = tree.parse(b"one\ntwo", domain="LINES")
    assert message.get(Path("LINES", ("Line", 2))) == "two"
    assert message.serialise() is message.serialise()
    message.set(Path("LINES", ("Line", 3)), "three")
    assert message.serialise() == b"one\ntwo\nthree"


def test_blob():
    body = b"\x00\x01"
    message = tree.parse(body, domain="BLOB")
    assert message.get(Path("BLOB", "BLOB")) == body
    assert message.serialise() is body
    message.set(Path("BLOB", "BLOB"), "text")
    assert reason(message.serialise) == 8130


def test_a_python_domain_that_fails_leaves_nothing_behind():
    held = []

    class Broken(tree.Domain):
        def parse_into(self, folder, data):
            held.append(folder.add_last_child("Field", 1))
            raise ValueError("broken")

    tree.register(Broken("BROKEN"))
    message = tree.parse(b"x", domain="BROKEN")
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            message.get(Path("BROKEN", "Field"))
    assert held[0].is_deleted
    assert message.serialise() == b"x"


def test_objects_made_without_their_constructors_do_no_harm():
    message = tree.Message.__new__(tree.Message)
    assert message.get(Path("a")) is MISSING
    for kind in (tree.Reference, type(iter(message))):
        try:
            made = kind.__new__(kind)
        except TypeError:
            continue
        assert list(made) == []


def test_indexes_out_of_range():
    message = order()
    for index, expected in ((0, 8121), (2**40, 8121), (True, 8120), ("1", 8120), ((1, 2), 8120)):
        assert reason(message.get_at, Path("XMLNSC", ("Order", ...)), index) == expected
