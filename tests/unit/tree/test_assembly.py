"""Whole messages: Properties, MQMD, chains of headers and bodies, there and back."""

from __future__ import annotations

import datetime as dt

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.model.headers import DeadLetterHeader, TransmissionHeader
from penstock.model.message import NEVER, Descriptor, Message
from penstock.model.rfh1 import Rfh1
from penstock.model.rfh2 import Rfh2
from penstock.tree import MISSING, Path, parse_message, serialise_message
from penstock.tree.assembly import Reader
from penstock.tree.model import Cwf, CwfFormat, Field, Model, Type

BODY = b"<Order><Total>5</Total></Order>"
TOTAL = Path("XMLNSC", "Order", "Total")


def queue_message(body: bytes = BODY, format_: str = "MQSTR", **more: object) -> Message:
    descriptor = Descriptor(format=format_, reply_to="REPLIES", user_id="ada", **more)  # type: ignore[arg-type]
    return Message(
        body,
        msg_id=b"M" * 24,
        correl_id=b"C" * 24,
        persistent=True,
        priority=4,
        put_time=1700000000.25,
        descriptor=descriptor,
    )


def same(one: Message, other: Message) -> None:
    assert one.body == other.body
    assert one.descriptor == other.descriptor
    assert (one.msg_id, one.correl_id, one.persistent, one.priority) == (
        other.msg_id,
        other.correl_id,
        other.persistent,
        other.priority,
    )


def test_a_plain_message_has_properties_descriptor_and_body() -> None:
    message = parse_message(queue_message(), "XMLNSC", transactional=True)
    assert [folder.name for folder in message] == ["Properties", "MQMD", "XMLNSC"]
    assert message.get(Path("MQMD", "MsgId")) == b"M" * 24
    assert message.get(Path("MQMD", "Persistence")) == 1
    assert message.get(Path("MQMD", "PutDate")) == dt.date(2023, 11, 14)
    assert message.get(Path("MQMD", "PutTime")) == dt.time(22, 13, 20, 250000, tzinfo=dt.UTC)
    assert message.get(Path("MQMD", "Expiry")) == -1
    assert message.get(Path("Properties", "Priority")) == 4
    assert message.get(Path("Properties", "Persistence")) is True
    assert message.get(Path("Properties", "Transactional")) is True
    assert message.get(Path("Properties", "CodedCharSetId")) == 1208
    assert message.get(Path("Properties", "ReplyIdentifier")) == b"C" * 24
    assert message.get(Path("Properties", "Topic")) is None
    assert message.get(TOTAL) == "5"


def test_decision_text_of_the_descriptor_keeps_its_padding() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    assert message.get(Path("MQMD", "Format")) == "MQSTR   "
    assert message.get(Path("MQMD", "ReplyToQ")) == "REPLIES".ljust(48)


def test_nothing_touched_comes_back_the_same() -> None:
    source = queue_message()
    message = parse_message(source, "XMLNSC")
    same(serialise_message(message), source)
    assert not message.is_parsed


def test_everything_read_and_nothing_changed_comes_back_the_same() -> None:
    source = queue_message()
    message = parse_message(source, "XMLNSC")
    str(message)
    same(serialise_message(message), source)


def test_changes_reach_descriptor_and_body() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    message.set(TOTAL, 6)
    message.set(Path("MQMD", "ReplyToQ"), "OTHER")
    message.set(Path("MQMD", "CorrelId"), b"x")
    message.set(Path("MQMD", "Expiry"), 300)
    back = serialise_message(message)
    assert back.body == b"<Order><Total>6</Total></Order>"
    assert back.descriptor.reply_to == "OTHER"
    assert back.correl_id == b"x".ljust(24, b"\0")
    assert back.remaining == 30.0
    assert back.expires_at != NEVER
    assert back.descriptor.user_id == "ada"


def test_a_tree_from_nothing_gets_the_defaults() -> None:
    message = tree.Message()
    message.set(Path("MQMD", "Format"), "MQSTR")
    message.set(TOTAL, 1)
    back = serialise_message(message)
    assert back.body == b"<Order><Total>1</Total></Order>"
    assert back.descriptor == Descriptor(format="MQSTR")


@pytest.mark.parametrize(
    ("field", "value"),
    [("Priority", "high"), ("MsgId", b"x" * 25), ("ReplyToQ", "Q" * 49), ("Format", 5), ("Encoding", 2**31)],
)
def test_a_value_that_the_descriptor_cannot_hold(field: str, value: object) -> None:
    message = parse_message(queue_message(), "XMLNSC")
    message.set(Path("MQMD", field), value)  # type: ignore[arg-type]
    with pytest.raises(MQError) as caught:
        serialise_message(message)
    assert caught.value.reason == 8140
    assert field in str(caught.value)


def with_rfh2(*folders: str, body: bytes = BODY, encoding: int = 546, ccsid: int = 1208) -> Message:
    header = Rfh2(folders, 546, 1208, "MQSTR")
    return queue_message(header.pack(encoding, ccsid) + body, "MQHRF2", encoding=encoding, ccsid=ccsid)


def test_folders_of_an_rfh2_are_typed() -> None:
    source = with_rfh2("<usr><n dt='i4'>5</n><t>red</t><b dt='boolean'>1</b><x xsi:nil='true'></x></usr>")
    message = parse_message(source, "XMLNSC")
    assert [folder.name for folder in message] == ["Properties", "MQMD", "MQRFH2", "XMLNSC"]
    usr = Path("MQRFH2", "usr")
    assert message.get(usr / "n") == 5
    assert message.get(usr / "t") == "red"
    assert message.get(usr / "b") is True
    assert message.get(usr / "x") is None
    assert message.get(Path("MQRFH2", tree.Step("Version", type=0x03000000))) == 2
    assert message.get(TOTAL) == "5"
    same(serialise_message(message), source)


def test_a_changed_folder_is_written_anew_and_its_neighbours_as_they_came() -> None:
    source = with_rfh2(
        "<mcd><Msd>xmlnsc</Msd></mcd> ", "<usr  a='1'><n dt='i8'>5</n></usr>", "<jms><Dst>q</Dst></jms>"
    )
    message = parse_message(source, "BLOB")
    message.set(Path("MQRFH2", "jms", "Dst"), "queue://X")
    message.set(Path("MQRFH2", "jms", "Tms"), 7)
    back = serialise_message(message)
    again = parse_message(back, "BLOB")
    assert again.get(Path("MQRFH2", "jms", "Dst")) == "queue://X"
    assert again.get(Path("MQRFH2", "jms", "Tms")) == 7
    assert b"<usr  a='1'><n dt='i8'>5</n></usr>" in back.body
    assert again.domain == "XMLNSC"


def test_what_an_mcd_folder_says_comes_before_the_node() -> None:
    folder = "<mcd><Msd>XMLNSC</Msd><Set>S1</Set><Type>Order</Type><Fmt>XML1</Fmt></mcd>"
    message = parse_message(with_rfh2(folder), "JSON", set="other")
    assert message.domain == "XMLNSC"
    assert message.get(Path("Properties", "MessageSet")) == "S1"
    assert message.get(Path("Properties", "MessageType")) == "Order"
    assert message.get(Path("Properties", "MessageFormat")) == "XML1"


def test_properties_of_a_message_stand_in_an_rfh2() -> None:
    source = queue_message()
    source.properties = {"colour": "red", "size": 5}
    message = parse_message(source, "XMLNSC")
    assert message.get(Path("MQRFH2", "usr", "size")) == 5
    back = serialise_message(message)
    assert back.descriptor.format == "MQHRF2"
    assert parse_message(back, "XMLNSC").get(Path("MQRFH2", "usr", "colour")) == "red"


def test_headers_one_after_the_other() -> None:
    pairs = Rfh1((("MQPSCommand", "Publish"), ("MQPSTopic", "a b")), 546, 1208, "MQSTR").pack()
    dead = DeadLetterHeader(
        2053, "ORDERS", "QM1", 546, 1208, "MQHRF", 28, "app", "20240131", "10111200"
    ).pack()
    source = queue_message(dead + pairs + BODY, "MQDEAD")
    message = parse_message(source, "XMLNSC")
    assert [folder.name for folder in message] == ["Properties", "MQMD", "MQDLH", "MQRFH", "XMLNSC"]
    assert message.get(Path("MQDLH", "Reason")) == 2053
    assert message.get(Path("MQDLH", "DestQName")) == "ORDERS".ljust(48)
    assert message.get(Path("MQRFH", "MQPSTopic")) == "a b"
    str(message)
    same(serialise_message(message), source)


def test_a_deleted_header_leaves_a_true_chain() -> None:
    pairs = Rfh1((("a", "b"),), 546, 819, "MQSTR").pack()
    dead = DeadLetterHeader(2053, "ORDERS", "QM1", 546, 1208, "MQHRF").pack()
    message = parse_message(queue_message(dead + pairs + BODY, "MQDEAD"), "XMLNSC")
    assert message.delete(Path("MQDLH"))
    back = serialise_message(message)
    assert back.descriptor.format == "MQHRF"
    assert back.body == pairs + BODY
    assert message.delete(Path("MQRFH"))
    last = serialise_message(message)
    assert last.body == BODY
    assert last.descriptor.format == ""


def test_a_new_header_is_announced_by_the_link_before_it() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    body = message.body
    assert body is not None
    header = body.add_previous("MQRFH2")
    header.set(Path("usr", "n"), 5)
    header.set(Path("Format"), "MQSTR")
    back = serialise_message(message)
    assert back.descriptor.format == "MQHRF2"
    again = parse_message(back, "XMLNSC")
    assert again.get(Path("MQRFH2", "usr", "n")) == 5
    assert again.get(Path("MQRFH2", "Format")) == "MQSTR   "
    assert again.get(TOTAL) == "5"


def test_headers_in_big_endian_and_ebcdic() -> None:
    header = Rfh2(("<usr><n dt='i4'>5</n></usr>",), 546, 1208, "MQSTR")
    source = queue_message(header.pack(273, 37) + BODY, "MQHRF2", encoding=273, ccsid=37)
    message = parse_message(source, "XMLNSC")
    assert message.get(Path("MQRFH2", "usr", "n")) == 5
    assert message.get(TOTAL) == "5"
    message.set(Path("MQRFH2", "usr", "n"), 6)
    back = serialise_message(message)
    assert parse_message(back, "XMLNSC").get(Path("MQRFH2", "usr", "n")) == 6
    assert back.body[:4] == "RFH ".encode("cp037")


def test_a_body_in_ebcdic_and_its_change_of_character_set() -> None:
    source = queue_message("<Order><Total>5</Total></Order>".encode("cp500"), ccsid=500, encoding=785)
    message = parse_message(source, "XMLNSC")
    assert message.get(TOTAL) == "5"
    same(serialise_message(message), source)
    message.set(Path("Properties", "CodedCharSetId"), 1208)
    back = serialise_message(message)
    assert back.descriptor.ccsid == 1208
    assert back.body == BODY
    message.set(Path("MQMD", "CodedCharSetId"), 37)
    assert serialise_message(message).body == BODY.decode().encode("cp037")


def test_a_transmission_header_carries_the_descriptor_of_what_follows() -> None:
    inner = queue_message()
    head = TransmissionHeader("REMOTE.Q", "QM2", inner).pack()
    message = parse_message(queue_message(head + BODY, "MQXMIT"), "XMLNSC")
    assert message.get(Path("MQXQH", "RemoteQName")) == "REMOTE.Q".ljust(48)
    assert message.get(Path("MQXQH", "MsgDesc", "ReplyToQ")) == "REPLIES".ljust(48)
    assert message.get(TOTAL) == "5"
    message.set(Path("MQXQH", "RemoteQMgrName"), "QM3")
    again = parse_message(serialise_message(message), "XMLNSC")
    assert again.get(Path("MQXQH", "RemoteQMgrName")) == "QM3".ljust(48)
    assert again.get(Path("MQXQH", "MsgDesc", "Format")) == "MQSTR   "


@pytest.mark.parametrize(
    ("name", "length", "format_"), [("MQCIH", 180, "MQCICS"), ("MQIIH", 84, "MQIMS"), ("MQMDE", 72, "MQHMDE")]
)
def test_bridge_headers_have_their_lengths_and_come_back(name: str, length: int, format_: str) -> None:
    message = parse_message(queue_message(), "XMLNSC")
    body = message.body
    assert body is not None
    header = body.add_previous(name)
    header.set(Path("Format"), "MQSTR")
    back = serialise_message(message)
    assert back.descriptor.format == format_
    assert len(back.body) == length + len(BODY)
    again = parse_message(back, "XMLNSC")
    assert again.get(Path(name, "Format")) == "MQSTR   "
    str(again)
    same(serialise_message(again), back)


def test_a_header_that_lies_is_refused() -> None:
    with pytest.raises(MQError) as caught:
        parse_message(queue_message(b"RFH \x02\0\0\0\xff\xff\xff\x7f" + bytes(40), "MQHRF2"), "XMLNSC")
    assert caught.value.reason == 2334
    with pytest.raises(MQError) as caught:
        parse_message(queue_message(b"short", "MQDEAD"), "BLOB")
    assert caught.value.reason == 2141


def test_a_chain_has_an_end() -> None:
    link = DeadLetterHeader(2053, "Q", "QM", 546, 1208, "MQDEAD").pack()
    with pytest.raises(MQError) as caught:
        parse_message(queue_message(link * 101, "MQDEAD"), "BLOB")
    assert caught.value.reason == 8141


def test_several_bodies_follow_each_other_with_a_header_before_them() -> None:
    message = parse_message(with_rfh2("<usr><n>1</n></usr>", body=b"<a/>"), "XMLNSC")
    message.set(Path("JSON", "Data", "b"), 1)
    parsed = parse_message(serialise_message(message), "BLOB")
    assert parsed.get(Path("BLOB", "BLOB")) == b'<a/>{"b":1}'


def test_a_header_behind_a_body_is_refused() -> None:
    message = parse_message(queue_message(b"<a/>"), "XMLNSC")
    message.set(Path("MQRFH2", "usr", "n"), 1)
    with pytest.raises(MQError) as caught:
        serialise_message(message)
    assert caught.value.reason == 8141


def test_a_folder_that_is_no_part_of_a_message_is_refused() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    message.create(Path("Stray"))
    with pytest.raises(MQError) as caught:
        serialise_message(message)
    assert caught.value.reason == 8141


def test_headers_are_read_when_they_are_touched() -> None:
    message = parse_message(with_rfh2("<usr><n>1</n>"), "XMLNSC")
    assert message.get(Path("MQRFH2", "Flags")) == 0
    with pytest.raises(MQError) as caught:
        message.get(Path("MQRFH2", "usr", "n"))
    assert caught.value.reason == 2421
    copy = message.copy()
    assert copy.get(TOTAL) == "5"


def test_http_headers_stand_beside_the_message() -> None:
    message = tree.parse(BODY, domain="XMLNSC")
    folder = message.create(Path("HTTPReplyHeader"))
    folder.set(Path("Content-Type"), "text/xml")
    folder.set(Path("X-Count"), 5)
    assert tree.bitstream(folder) == b"Content-Type: text/xml\r\nX-Count: 5\r\n"
    assert message.serialise() == BODY
    for bad in ("a\r\nSet-Cookie: b", "\u20ac"):
        folder.set(Path("X-Bad"), bad)
        with pytest.raises(MQError) as caught:
            tree.bitstream(folder)
        assert caught.value.reason == 8140


def test_http_headers_are_parsed_from_lines() -> None:
    message = tree.Message()
    folder = message.create(Path("HTTPInputHeader"))
    tree.parse_into(folder, b"Host: example\r\nAccept:  */*\r\n", "HTTPInputHeader")
    assert message.get(Path("HTTPInputHeader", "Accept")) == "*/*"
    assert message.get(Path("HTTPInputHeader", "Nope")) is MISSING


@pytest.mark.parametrize("name", ["MQMD", "MQRFH2", "MQRFH", "MQDLH", "MQXQH", "MQCIH", "MQIIH", "MQMDE"])
def test_a_header_alone_can_be_parsed_and_written(name: str) -> None:
    folder = tree.Message().create(Path(name))
    data = tree.bitstream(folder)
    message = tree.Message()
    place = message.create(Path("Variables", "h"))
    tree.parse_into(place, data, name)
    assert [child.name for child in place]
    assert tree.bitstream(place) == data


def test_the_trees_beside_a_message_are_plain_trees() -> None:
    local, exceptions = tree.Message(), tree.Message()
    queue = Path("Destination", "MQ", ("DestinationData", ...), "queueName")
    local.set_at(queue, 1, "A")
    local.set_at(queue, 2, "B")
    assert local.cardinality(Path("Destination", "MQ", "DestinationData")) == 2
    outer = exceptions.create(Path("RecoverableException"))
    outer.add_last_child("RecoverableException").add_last_child("Number", 2230)
    assert exceptions.get(Path("RecoverableException", "RecoverableException", "Number")) == 2230
    message = parse_message(queue_message(), "XMLNSC")
    local.assign(Path("Variables", "Order"), message, Path("XMLNSC", "Order"))
    assert local.get(Path("Variables", "Order", "Total")) == "5"


@pytest.mark.parametrize(
    ("domain", "text"),
    [("XMLNSC", "<a><b>é</b></a>"), ("JSON", '{"b":"é"}')],
)
def test_a_changed_body_keeps_the_character_set_of_its_descriptor(domain: str, text: str) -> None:
    field = Path("XMLNSC", "a", "b") if domain == "XMLNSC" else Path("JSON", "Data", "b")
    message = parse_message(queue_message(text.encode("latin-1"), ccsid=819), domain)
    message.set(field, "ü")
    result = serialise_message(message)
    assert result.body == text.replace("é", "ü").encode("latin-1")
    assert result.descriptor.ccsid == 819


def test_a_fixed_record_is_written_in_the_character_set_and_encoding_of_its_descriptor() -> None:
    model = Model(
        "M",
        {"R": Type(Field("A", C=Cwf(length=3)), Field("N", "integer", C=Cwf(length=2)))},
        {"C": CwfFormat()},
    )
    body = "abc".encode("cp037") + b"\0\5"
    message = parse_message(queue_message(body, "", ccsid=37, encoding=273), "MRM", model)
    message.set(Path("MRM", "N"), 6)
    assert serialise_message(message).body == "abc".encode("cp037") + b"\0\6"
    message.set(Path("Properties", "CodedCharSetId"), 1208)
    message.set(Path("Properties", "Encoding"), 546)
    result = serialise_message(message)
    assert result.body == b"abc\6\0"
    assert (result.descriptor.ccsid, result.descriptor.encoding) == (1208, 546)


def test_a_body_in_an_unknown_character_set_passes_through() -> None:
    message = parse_message(queue_message(b"\xff\0", "", ccsid=99_999), "BLOB")
    assert serialise_message(message).body == b"\xff\0"
    message.set(Path("MQMD", "Priority"), 9)
    assert serialise_message(message).body == b"\xff\0"


def test_a_message_of_headers_alone_has_no_body() -> None:
    header = Rfh2(("<usr><a>1</a></usr>",), 546, 1208, "")
    source = queue_message(header.pack(546, 1208), "MQHRF2")
    message = parse_message(source, "BLOB")
    message.delete(Path("BLOB"))
    assert serialise_message(message).body == source.body


@pytest.mark.parametrize(
    ("field", "value", "attribute", "expected"),
    [
        ("ReplyToQ", "ANSWERS", "reply_to", "ANSWERS"),
        ("Report", 7, "report", 7),
        ("GroupId", b"G", "group_id", b"G" + bytes(23)),
        ("Format", "MINE", "format", "MINE"),
    ],
)
def test_one_changed_field_of_the_descriptor(
    field: str, value: object, attribute: str, expected: object
) -> None:
    source = queue_message()
    message = parse_message(source, "XMLNSC")
    message.set(Path("MQMD", field), value)  # type: ignore[arg-type]
    result = serialise_message(message)
    assert result.descriptor == source.descriptor.replace(**{attribute: expected})
    assert (result.body, result.msg_id, result.put_time) == (BODY, source.msg_id, source.put_time)
    assert result.reports == (result.descriptor.report != 0)


def test_ids_priority_and_persistence_of_the_descriptor() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    for field, value in (("MsgId", b"m"), ("CorrelId", b"c"), ("Priority", 9), ("Persistence", 0)):
        message.set(Path("MQMD", field), value)
    result = serialise_message(message)
    assert (result.msg_id[:2], result.correl_id[:2], result.priority, result.persistent) == (
        b"m\0",
        b"c\0",
        9,
        False,
    )


def test_a_field_of_the_descriptor_that_was_deleted_has_its_default() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    message.delete(Path("MQMD", "ReplyToQ"))
    message.create(Path("MQMD", "Other")).value = 1  # as many fields as before
    result = serialise_message(message)
    assert result.descriptor.reply_to == ""
    assert result.descriptor.user_id == "ada"


def test_a_descriptor_that_was_read_is_copied_as_it_came() -> None:
    source = parse_message(queue_message(), "XMLNSC")
    assert source.get(Path("MQMD", "ReplyToQ")) == "REPLIES".ljust(48)
    target = tree.Message()
    for name in ("Properties", "MQMD", "XMLNSC"):
        assert target.assign(Path(name), source, Path(name))
    assert target.get(Path("MQMD", "UserIdentifier")) == "ada".ljust(12)
    same(serialise_message(target), queue_message())


def test_a_reader_makes_the_trees_that_parse_message_makes() -> None:
    """One reader, messages with and without headers and properties, in several character sets."""
    header = Rfh2(folders=("<usr><a>1</a></usr>",), format="MQSTR", ccsid=1208)
    wrapped = queue_message(header.pack() + BODY, "MQHRF2")
    carrying = queue_message()
    carrying.properties = {"colour": "red"}
    sources = [
        queue_message(),
        queue_message(),
        wrapped,
        queue_message(BODY.decode().encode("cp037"), ccsid=37),
    ]
    sources += [carrying, queue_message()]
    reader = Reader("XMLNSC")
    for source in sources:
        ours, usual = reader.tree(source, True), parse_message(source, "XMLNSC", transactional=True)
        assert str(ours.copy()) == str(usual.copy())
        same(serialise_message(ours), serialise_message(usual))


def test_a_reader_says_what_is_wrong_for_every_message() -> None:
    reader = Reader("NOSUCH")
    for _ in range(2):
        with pytest.raises(MQError) as raised:
            reader.tree(queue_message(), False)
        assert raised.value.reason == 8131


def test_a_body_comes_back_as_it_came_only_in_its_own_character_set_and_unchanged() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    native = queue_message().descriptor.encoding

    assert message.body_as_it_came(1208, native) is BODY
    assert message.body_as_it_came(819, native) is None
    message.set(TOTAL, "6")
    assert message.body_as_it_came(1208, native) is None


def test_folders_keep_what_they_were_given_in_copies_and_in_other_trees() -> None:
    message = parse_message(queue_message(), "XMLNSC")
    copy, other = message.copy(), tree.Message()
    other.assign(Path("MQMD"), message, Path("MQMD"))

    for each in (message, copy, other):
        assert each.get(Path("MQMD", "ReplyToQ")).rstrip() == "REPLIES"
