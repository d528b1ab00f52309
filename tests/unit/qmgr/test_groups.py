from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.model.errors import MQError
from penstock.model.message import NO_ID, Descriptor, Message
from penstock.qmgr.groups.logical_order import (
    GroupBook,
    LogicalGet,
    LogicalPut,
    assemble,
    check_physical,
    group_status,
    segment_status,
    segmentation,
    split,
)

ALLOWED, SEGMENT, LAST_SEGMENT, IN_GROUP, LAST = 1, 2, 4, 8, 16
UNIT = object()


def ids():
    numbers = count(1)
    return lambda: b"G%023d" % next(numbers)


def member(flags: int, body: bytes = b"x", persistent: bool = False, **fields: object) -> Message:
    return Message(body, persistent=persistent, descriptor=Descriptor(flags=flags, **fields))


def place(message: Message) -> tuple[bytes, int, int]:
    return message.descriptor.group_id, message.descriptor.seq_number, message.descriptor.offset


def reason_of(call, *arguments: object) -> int:
    with pytest.raises(MQError) as caught:
        call(*arguments)
    assert caught.value.comp == 2
    return caught.value.reason


# Putting in logical order


def test_logical_put_numbers_the_messages_of_a_group() -> None:
    handle = LogicalPut(ids())
    messages = [member(IN_GROUP), member(IN_GROUP), member(LAST)]
    for message in messages:
        handle.apply(message, UNIT)
    group = messages[0].descriptor.group_id
    assert group != NO_ID
    assert [place(message) for message in messages] == [(group, 1, 0), (group, 2, 0), (group, 3, 0)]
    assert messages[2].descriptor.flags == LAST | IN_GROUP
    assert handle.close() == 0


def test_next_group_has_another_group_id_and_a_plain_message_has_none() -> None:
    handle = LogicalPut(ids())
    first, second, plain = member(LAST), member(LAST), member(0, group_id=b"G" * 24, seq_number=7)
    for message in (first, second, plain):
        handle.apply(message, None)
    assert first.descriptor.group_id != second.descriptor.group_id
    assert place(plain) == (NO_ID, 1, 0)


def test_logical_put_gives_segments_their_offsets_within_a_group() -> None:
    handle = LogicalPut(ids())
    messages = [
        member(IN_GROUP | SEGMENT, b"abc"),
        member(IN_GROUP | SEGMENT, b"de"),
        member(IN_GROUP | LAST_SEGMENT, b"f"),
        member(LAST | SEGMENT, b"gh"),
        member(LAST | LAST_SEGMENT, b"i"),
    ]
    for message in messages:
        handle.apply(message, None)
    assert [place(message)[1:] for message in messages] == [(1, 0), (1, 3), (1, 5), (2, 0), (2, 2)]
    assert len({message.descriptor.group_id for message in messages}) == 1


def test_segments_outside_a_group_share_an_id() -> None:
    handle = LogicalPut(ids())
    one, two = member(SEGMENT, b"abc"), member(LAST_SEGMENT, b"d")
    handle.apply(one, None)
    handle.apply(two, None)
    assert place(two) == (one.descriptor.group_id, 1, 3)


def test_message_outside_the_open_group_fails_with_2241() -> None:
    handle = LogicalPut(ids())
    handle.apply(member(IN_GROUP), None)
    assert reason_of(handle.apply, member(0), None) == 2241
    handle.apply(member(LAST), None)


def test_message_that_is_no_segment_of_the_open_message_fails_with_2242() -> None:
    handle = LogicalPut(ids())
    handle.apply(member(IN_GROUP | SEGMENT), None)
    assert reason_of(handle.apply, member(IN_GROUP), None) == 2242
    assert reason_of(handle.apply, member(SEGMENT), None) == 2242
    assert reason_of(handle.apply, member(LAST | SEGMENT), None) == 2242


def test_other_persistence_is_2185_and_other_unit_is_2245() -> None:
    handle = LogicalPut(ids())
    handle.apply(member(IN_GROUP, persistent=True), UNIT)
    assert reason_of(handle.apply, member(IN_GROUP), UNIT) == 2185
    assert reason_of(handle.apply, member(IN_GROUP, persistent=True), None) == 2245
    handle.apply(member(LAST, persistent=True), UNIT)


def test_close_warns_of_an_open_message_before_an_open_group() -> None:
    handle = LogicalPut(ids())
    handle.apply(member(IN_GROUP), None)
    assert handle.close() == 2241
    handle.apply(member(IN_GROUP | SEGMENT), None)
    assert handle.close() == 2242


def test_undo_takes_back_a_put_that_failed() -> None:
    handle = LogicalPut(ids())
    handle.apply(member(IN_GROUP), None)
    failed, again = member(IN_GROUP), member(IN_GROUP)
    handle.apply(failed, None)
    handle.undo()
    handle.apply(again, None)
    assert place(again) == place(failed)


def test_physical_put_interrupts_with_a_warning_once() -> None:
    handle = LogicalPut(ids())
    handle.apply(member(IN_GROUP), None)
    assert handle.interrupt(member(0), None) == 2241
    assert handle.interrupt(member(0), None) == 0
    handle.apply(member(IN_GROUP | SEGMENT), None)
    assert handle.interrupt(member(0), None) == 2242


def test_decision_physical_put_into_the_open_group_warns_of_persistence_and_unit_first() -> None:
    handle = LogicalPut(ids())
    first = member(IN_GROUP, persistent=True)
    handle.apply(first, UNIT)
    same = {"group_id": first.descriptor.group_id, "seq_number": 2}
    assert handle.interrupt(member(IN_GROUP, **same), UNIT) == 2185
    handle.apply(member(IN_GROUP), UNIT)
    assert handle.interrupt(member(IN_GROUP, **same), None) == 2245


def test_logical_order_resumes_from_a_physical_put() -> None:
    handle = LogicalPut(ids())
    resumed = member(IN_GROUP, group_id=b"R" * 24, seq_number=4)
    assert handle.interrupt(resumed, None) == 0
    following = member(LAST)
    handle.apply(following, None)
    assert place(following) == (b"R" * 24, 5, 0)


# Physical order


def test_physical_put_keeps_places_and_makes_a_missing_group_id() -> None:
    given = member(LAST, group_id=b"R" * 24, seq_number=3)
    check_physical(given, ids())
    assert place(given) == (b"R" * 24, 3, 0)
    assert given.descriptor.flags == LAST | IN_GROUP
    made = member(IN_GROUP)
    check_physical(made, ids())
    assert made.descriptor.group_id != NO_ID


def test_message_in_no_group_loses_its_places() -> None:
    message = member(0, group_id=b"R" * 24, seq_number=3, offset=9)
    check_physical(message, ids())
    assert place(message) == (NO_ID, 1, 0)


def test_decision_segmentation_allowed_alone_gets_a_group_id() -> None:
    message = member(ALLOWED, seq_number=3)
    check_physical(message, ids())
    assert message.descriptor.group_id != NO_ID
    assert message.descriptor.seq_number == 1


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (member(32), 2249),
        (member(0x1000), 2249),
        (member(IN_GROUP, seq_number=0), 2250),
        (member(IN_GROUP, seq_number=1_000_000_000), 2250),
        (member(SEGMENT, offset=-1), 2251),
        (member(SEGMENT, offset=1_000_000_000), 2251),
        (member(SEGMENT, b""), 2253),
        (member(LAST_SEGMENT, b"abc", msg_type=4, original_length=2), 2252),
        (member(LAST_SEGMENT, b"", msg_type=4, original_length=0), 2252),
    ],
)
def test_bad_places_are_refused(message: Message, reason: int) -> None:
    assert reason_of(check_physical, message, ids()) == reason


def test_flags_that_may_travel_are_kept_on_a_transmission_queue() -> None:
    message = member(0x1000)
    check_physical(message, ids(), transmission=True)
    assert message.descriptor.flags == 0x1000


# Getting in logical order


def test_logical_get_wants_the_members_in_turn() -> None:
    handle = LogicalGet()
    group = b"G" * 24
    assert handle.wanted is None
    handle.took(member(IN_GROUP | SEGMENT, b"abc", group_id=group), True, UNIT)
    assert handle.wanted == (group, 1, 3)
    handle.took(member(IN_GROUP | LAST_SEGMENT, b"d", group_id=group, offset=3), True, UNIT)
    assert handle.wanted == (group, 2, 0)
    handle.took(member(LAST, group_id=group, seq_number=2), True, UNIT)
    assert handle.wanted is None


def test_group_begins_only_with_its_first_message() -> None:
    handle = LogicalGet()
    assert handle.may_begin(Descriptor())
    assert handle.may_begin(Descriptor(flags=IN_GROUP))
    assert not handle.may_begin(Descriptor(flags=IN_GROUP, seq_number=2))
    assert not handle.may_begin(Descriptor(flags=SEGMENT, offset=10))


def test_logical_get_keeps_to_its_unit_and_warns_when_left() -> None:
    handle = LogicalGet()
    handle.took(member(IN_GROUP, group_id=b"G" * 24), True, UNIT)
    assert reason_of(handle.check, True, None) == 2245
    assert handle.check(True, UNIT) == 0
    assert handle.check(False, None) == 2241
    assert handle.close() == 2241
    handle.reset()
    assert handle.close() == 0


def test_physical_get_of_a_member_is_where_logical_order_goes_on() -> None:
    handle = LogicalGet()
    handle.took(member(IN_GROUP, group_id=b"G" * 24, seq_number=2), False, None)
    assert handle.check(False, None) == 0
    assert handle.wanted == (b"G" * 24, 3, 0)


def test_status_letters() -> None:
    assert [group_status(Descriptor(flags=flags)) for flags in (0, IN_GROUP, IN_GROUP | LAST)] == [
        " ",
        "G",
        "L",
    ]
    assert [segment_status(Descriptor(flags=flags)) for flags in (0, SEGMENT, LAST_SEGMENT)] == [
        " ",
        "S",
        "L",
    ]
    assert [segmentation(Descriptor(flags=flags)) for flags in (0, ALLOWED)] == [" ", "A"]


# What is on the queue


def group(*flags: int, group_id: bytes = b"G" * 24) -> list[Message]:
    return [member(flag, group_id=group_id, seq_number=number) for number, flag in enumerate(flags, 1)]


def test_group_is_complete_when_all_up_to_the_last_are_there() -> None:
    book = GroupBook()
    one, two, three = group(IN_GROUP, IN_GROUP, LAST)
    for message in (three, one):
        book.add(message)
        assert not book.group_complete(b"G" * 24)
    book.add(two)
    assert book.group_complete(b"G" * 24)
    assert book.first(b"G" * 24) is one
    assert book.find(b"G" * 24, 3) is three
    book.remove(two)
    assert not book.group_complete(b"G" * 24)
    assert book.find(b"G" * 24, 2) is None


def test_book_forgets_a_group_with_its_last_message() -> None:
    book = GroupBook()
    messages = group(IN_GROUP, LAST)
    for message in messages:
        book.add(message)
    for message in messages:
        book.remove(message)
    assert len(book) == 0
    book.remove(messages[0])
    assert b"G" * 24 not in book


def test_messages_without_flags_are_not_in_the_book() -> None:
    book = GroupBook()
    book.add(member(0))
    book.add(member(ALLOWED))
    assert len(book) == 0
    assert book.available(member(0), True, True)


def segments(*bodies: bytes, flags: int = 0, seq_number: int = 1) -> list[Message]:
    offset, made = 0, []
    for index, body in enumerate(bodies):
        end = SEGMENT | LAST_SEGMENT if index == len(bodies) - 1 else SEGMENT
        made.append(member(flags | end, body, group_id=b"G" * 24, seq_number=seq_number, offset=offset))
        offset += len(body)
    return made


def test_segmented_message_is_complete_without_gaps() -> None:
    book = GroupBook()
    one, two, three = segments(b"abc", b"de", b"f")
    for message in (three, one):
        book.add(message)
    assert not book.message_complete(b"G" * 24, 1)
    assert not book.available(one, all_segments=True)
    assert book.available(one)
    book.add(two)
    assert book.message_complete(b"G" * 24, 1)
    assert book.group_complete(b"G" * 24)
    assert book.segments(b"G" * 24, 1) == [one, two, three]
    book.remove(three)
    assert not book.message_complete(b"G" * 24, 1)


def test_segments_that_overlap_do_not_fill_a_gap() -> None:
    book = GroupBook()
    one, _, three = segments(b"abc", b"de", b"f")
    overlapping = member(SEGMENT, b"xy", group_id=b"G" * 24, offset=1)
    for message in (one, overlapping, three):
        book.add(message)
    assert not book.message_complete(b"G" * 24, 1)


def test_group_with_an_incomplete_message_is_incomplete() -> None:
    book = GroupBook()
    one, two = segments(b"abc", b"d", flags=IN_GROUP)
    last = member(LAST, group_id=b"G" * 24, seq_number=2)
    book.add(one)
    book.add(last)
    assert not book.group_complete(b"G" * 24)
    assert book.available(last, all_segments=True)
    assert not book.available(last, all_messages=True)
    book.add(two)
    assert book.group_complete(b"G" * 24)


def test_member_put_twice_is_there_until_both_are_gone() -> None:
    book = GroupBook()
    (one,), (twin,) = group(LAST), group(LAST)
    book.add(one)
    book.add(twin)
    book.add(one)
    book.remove(one)
    assert book.find(b"G" * 24, 1) is twin
    assert book.group_complete(b"G" * 24)
    book.remove(one)
    assert book.group_complete(b"G" * 24)
    book.remove(twin)
    assert len(book) == 0


def test_message_beyond_the_last_does_not_stand_in_for_a_missing_one() -> None:
    book = GroupBook()
    one, _, last = group(IN_GROUP, IN_GROUP, LAST)
    beyond = member(IN_GROUP, group_id=b"G" * 24, seq_number=4)
    for message in (one, last, beyond):
        book.add(message)
    assert not book.group_complete(b"G" * 24)


# Cutting and joining


def test_split_cuts_at_multiples_of_sixteen() -> None:
    message = Message(
        bytes(100), b"M" * 24, b"C" * 24, True, 5, 10.0, 20.0, Descriptor(flags=ALLOWED), {"a": 1}
    )
    parts = split(message, 40, ids())
    assert [part.length for part in parts] == [32, 32, 32, 4]
    assert [part.descriptor.offset for part in parts] == [0, 32, 64, 96]
    assert [part.descriptor.flags for part in parts] == [3, 3, 3, 7]
    assert len({part.descriptor.group_id for part in parts} - {NO_ID}) == 1
    assert all(part.persistent and part.priority == 5 and part.expires_at == 20.0 for part in parts)


def test_decision_split_segments_keep_the_message_id_and_properties_stay_with_the_first() -> None:
    message = Message(bytes(100), b"M" * 24, descriptor=Descriptor(flags=ALLOWED), properties={"a": 1})
    parts = split(message, 50, ids())
    assert {part.msg_id for part in parts} == {b"M" * 24}
    assert [part.properties for part in parts] == [{"a": 1}, None, None]


def test_assemble_undoes_split() -> None:
    descriptor = Descriptor(flags=ALLOWED | IN_GROUP, group_id=b"G" * 24, seq_number=3, format="MQSTR")
    message = Message(bytes(range(100)), b"M" * 24, b"C" * 24, True, 5, 10.0, 20.0, descriptor, {"a": 1})
    joined = assemble(split(message, 7, ids()))
    assert joined.body == message.body
    assert joined.descriptor == message.descriptor
    assert (joined.msg_id, joined.properties, joined.expires_at) == (b"M" * 24, {"a": 1}, 20.0)


def test_segment_can_be_cut_further() -> None:
    one, two = segments(bytes(40), bytes(20), flags=ALLOWED)
    parts = split(one, 16, ids()) + split(two, 16, ids())
    assert [part.descriptor.offset for part in parts] == [0, 16, 32, 40, 56]
    assert [part.descriptor.flags & LAST_SEGMENT for part in parts] == [0, 0, 0, 0, LAST_SEGMENT]
    assert assemble(parts).body == bytes(60)


def test_message_that_fits_is_not_cut_and_one_that_may_not_be_is_2030() -> None:
    message = member(ALLOWED, bytes(20))
    assert split(message, 20, ids()) == [message]
    assert reason_of(split, member(0, bytes(20)), 10, ids()) == 2030


def test_assemble_refuses_gaps_and_a_missing_end() -> None:
    one, two, three = segments(b"abc", b"de", b"f")
    for parts in ([one, three], [two, three], [one, two]):
        with pytest.raises(MQError) as caught:
            assemble(parts)
        assert caught.value.reason == 2242


def test_decision_assemble_joins_unlike_code_pages_with_a_warning() -> None:
    one, two = segments(b"abc", b"d")
    two.descriptor = two.descriptor.replace(ccsid=500)
    assert assemble([one, two]).warning == 2243
    two.descriptor = two.descriptor.replace(ccsid=1208, encoding=273)
    assert assemble([one, two]).warning == 2244


def test_assembled_message_expires_with_its_first_segment_to_expire() -> None:
    one, two = segments(b"abc", b"d")
    two.expires_at = 5.0
    two.backout_count = 2
    joined = assemble([one, two])
    assert joined.expires_at == 5.0
    assert joined.backout_count == 2
    assert joined.descriptor.group_id == NO_ID


# Any coming and going of the parts of one group of three, each of three segments, some put twice

PARTS = [
    part for number in (1, 2, 3) for part in segments(b"ab", b"c", b"def", flags=IN_GROUP, seq_number=number)
]
for part in PARTS[6:]:
    part.descriptor = part.descriptor.replace(flags=part.descriptor.flags | LAST)
TWINS = [part.snapshot() for part in PARTS[2:7]]


@given(st.lists(st.sampled_from(PARTS + TWINS), max_size=60))
def test_book_agrees_with_looking_at_all_messages(changes: list[Message]) -> None:
    book, present = GroupBook(), []
    for message in changes:
        if message in present:
            present.remove(message)
            book.remove(message)
        else:
            present.append(message)
            book.add(message)
        places = {place(one)[1:] for one in present}
        whole = [all((number, offset) in places for offset in (0, 2, 3)) for number in (1, 2, 3)]
        assert [book.message_complete(b"G" * 24, number) for number in (1, 2, 3)] == whole
        assert book.group_complete(b"G" * 24) is all(whole)
        assert (b"G" * 24 in book) is bool(present)
        assert [found in present for found in book.segments(b"G" * 24, 1)] == [True] * sum(
            (1, offset) in places for offset in (0, 2, 3)
        )


@given(st.binary(max_size=200), st.integers(min_value=1, max_value=70))
def test_any_message_survives_cutting_and_joining(body: bytes, length: int) -> None:
    parts = split(member(ALLOWED, body), length, ids())
    assert all(0 < part.length <= length for part in parts) or not body
    assert assemble(parts).body == body
