"""FileInput, FileOutput and FileRead: records, terminals, what becomes of files, what a crash may do."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any

import pytest

from penstock.flow import Flow, Node, nodes
from penstock.flow.files import claims
from penstock.flow.files import records as records_module
from penstock.flow.files.claims import claim_next
from penstock.flow.files.record_lengths import json_length, xml_length
from penstock.flow.files.records import Records
from penstock.model.errors import MQError
from tests.flow_fixtures import bodies

LATER = 1e12  # a time at which every file is old enough


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    (tmp_path / "out").mkdir()
    return made


class Failing(Node):
    """Fails on messages that say so."""

    def process(self, assembly: Any, at: Any) -> None:
        from penstock.flow.new_messages import body_of

        if b"bad" in body_of(assembly.message):
            raise ValueError("no")
        at.send("out", assembly)


def reading(*between: Node, **options: Any) -> Flow:
    flow = Flow("files")
    start: Any = flow.add(nodes.FileInput("in", **options))
    last = start
    for node in between:
        last.out >> flow.add(node).in_
        last = node
    last.out >> flow.add(nodes.MQOutput("OUT")).in_
    for terminal, queue in (("EOD", "OUT2"), ("failure", "FAILED")):
        start.terminal(terminal) >> flow.add(nodes.MQOutput(queue)).in_
    return flow


@pytest.mark.parametrize(
    ("options", "data", "expected"),
    [
        ({}, b"a\nb", [b"a\nb"]),
        ({"records": "delimited"}, b"a\r\nb\n\nc", [b"a", b"b", b"", b"c"]),
        ({"records": "delimited", "delimiter": "7c"}, b"a|b|", [b"a", b"b"]),
        ({"records": "delimited", "delimiter": "7c", "infix": True}, b"a|b|", [b"a", b"b", b""]),
        ({"records": "fixedLength", "length": 2}, b"aabbcc", [b"aa", b"bb", b"cc"]),
        (
            {"records": "parsedRecordSequence", "domain": "XMLNSC"},
            b'<a b=">"/>\n<?xml version="1.0"?><c><d/></c>',
            [b'<a b=">"/>', b'<?xml version="1.0"?><c><d/></c>'],
        ),
        (
            {"records": "parsedRecordSequence", "domain": "JSON"},
            b'{"a":1}\n[2] {"b":"\xc3\xa9"}',
            [b'{"a":1}', b"[2]", b'{"b":"\xc3\xa9"}'],
        ),
    ],
)
def test_records_become_messages(
    qm: Any, run: Any, folder: Path, options: dict[str, Any], data: bytes, expected: list[bytes]
) -> None:
    (folder / "one").write_bytes(data)
    run(reading(**options))
    assert bodies(qm, "OUT") == expected
    assert bodies(qm, "OUT2") == [b""]
    assert not (folder / "one").exists()


@pytest.mark.parametrize("size", [1, 7, 64 << 10])
@pytest.mark.parametrize(
    ("reader", "data"),
    [
        (Records("delimited"), b"x" * 9 + b"\n" + b"y" * 30 + b"\r\nz"),
        (Records("delimited", delimiter=b"<>"), b"ab<>c<d<>" * 5),
        (Records("parsedRecordSequence", measure=xml_length), b"<a>1</a> <b c='>'><d/></b>\n"),
        (Records("parsedRecordSequence", measure=json_length), b'{"a":[1,2]} 12 "x\\"y" [true]\n'),
    ],
)
def test_blocks_of_any_size_give_the_same_records(
    monkeypatch: pytest.MonkeyPatch, reader: Records, data: bytes, size: int
) -> None:
    whole = list(reader.read(io.BytesIO(data)))
    monkeypatch.setattr(records_module, "BLOCK_BYTES", size)
    assert list(reader.read(io.BytesIO(data))) == whole
    assert len(whole) > 1


@pytest.mark.parametrize("kind", ["delimited", "infix", "fixedLength"])
def test_reading_goes_on_from_every_position(kind: str) -> None:
    data = b"aa|bb|cc|"
    reader = (
        Records("fixedLength", 3) if kind == "fixedLength" else Records("delimited", 0, b"|", kind == "infix")
    )
    whole = list(reader.read(io.BytesIO(data)))
    for done in whole:
        assert list(reader.read(io.BytesIO(data), done.end, done.number)) == whole[done.number :]


def test_local_environment_says_which_record_it_is(qm: Any, run: Any, folder: Path) -> None:
    (folder / "one").write_bytes(b"a\nb\n")
    second = nodes.Filter("LocalEnvironment.File.Record = 2 AND LocalEnvironment.File.Name = 'one'")
    flow = reading(records="delimited")
    flow.wires = [w for w in flow.wires if w.output != "out"]
    flow.node("FileInput").out >> flow.add(second).in_
    second.true >> flow.node("MQOutput").in_
    run(flow)
    assert bodies(qm, "OUT") == [b"b"]


@pytest.mark.parametrize(("action", "pattern"), [("archive", "one"), ("timestampAndArchive", "2*_one")])
def test_files_that_were_read_may_be_kept(qm: Any, run: Any, folder: Path, action: str, pattern: str) -> None:
    for text in ("first", "second"):
        (folder / "one").write_text(text)
        run(reading(processed=action))
    kept = sorted((folder / "mqsiarchive").iterdir())
    assert [path.read_text() for path in kept] == ["first", "second"]
    assert kept[0].match(pattern)


def test_only_files_of_the_pattern_are_read_oldest_first(qm: Any, run: Any, folder: Path) -> None:
    import os

    for age, name in ((3, "b.xml"), (2, "a.xml"), (1, "c.txt")):
        (folder / name).write_text(name)
        os.utime(folder / name, (1000 - age, 1000 - age))
    run(reading(pattern="*.xml"))
    assert bodies(qm, "OUT") == [b"b.xml", b"a.xml"]
    assert (folder / "c.txt").exists()


def test_a_file_that_is_still_young_is_left_alone(qm: Any, run: Any, folder: Path) -> None:
    (folder / "one").write_text("x")
    run(reading(least_age=60))
    assert (folder / "one").exists()


def test_a_record_that_fails_takes_its_file_to_the_backout_folder(qm: Any, run: Any, folder: Path) -> None:
    (folder / "one").write_bytes(b"good\nbad\nnever\n")
    listener = run(reading(Failing(), records="delimited", retries=2))
    assert bodies(qm, "OUT") == [b"good"]
    assert bodies(qm, "FAILED") == [b"bad"]
    assert (folder / "mqsibackout" / "one").read_bytes() == b"good\nbad\nnever\n"
    assert listener.tally.failed == 3


def test_catch_keeps_the_file_going(qm: Any, run: Any, folder: Path) -> None:
    (folder / "one").write_bytes(b"bad\ngood\n")
    flow = reading(Failing(), records="delimited")
    flow.node("FileInput").catch >> flow.add(nodes.MQOutput("CAUGHT")).in_
    run(flow)
    assert (bodies(qm, "CAUGHT"), bodies(qm, "OUT")) == ([b"bad"], [b"good"])


def test_a_file_that_does_not_hold_such_records_is_backed_out(qm: Any, run: Any, folder: Path) -> None:
    (folder / "one").write_bytes(b"abc")
    run(reading(records="fixedLength", length=2))
    assert (folder / "mqsibackout" / "one").exists()
    assert bodies(qm, "OUT") == [b"ab"]
    assert bodies(qm, "FAILED") == [b""]


def test_after_a_crash_reading_goes_on_behind_the_last_record_that_was_noted(
    qm: Any, run: Any, folder: Path
) -> None:
    (folder / "one").write_bytes(b"1\n2\n3\n")
    claim = claim_next(folder, "*", 0.0, 9e9)
    assert claim is not None
    claim.note(2, 1)
    assert claim_next(folder, "*", 0.0, 9e9) is None  # it is ours
    claim.let_go()  # as the end of a process does
    run(reading(records="delimited"))
    assert bodies(qm, "OUT") == [b"2", b"3"]


def test_a_link_is_no_file_to_read(qm: Any, run: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    run(reading())
    assert bodies(qm, "OUT") == []


# -- FileOutput ----------------------------------------------------------------------------


def writing(**options: Any) -> Flow:
    flow = Flow("writing")
    start = flow.add(nodes.MQInput("IN"))
    node = flow.add(nodes.FileOutput("out", "file", **options))
    start.out >> node.in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def test_a_whole_file_appears_and_replaces(qm: Any, run: Any, folder: Path, tmp_path: Path) -> None:
    for body in (b"one", b"two"):
        qm.put("IN", body)
    run(writing())
    assert (tmp_path / "out" / "file").read_bytes() == b"two"
    assert bodies(qm, "OUT") == [b"one", b"two"]
    assert list((tmp_path / "out" / "mqsitransit").iterdir()) == []


@pytest.mark.parametrize(
    ("mode", "content", "failed"), [("append", b"onetwo", []), ("fail", b"one", [b"two"])]
)
def test_modes_of_a_whole_file(
    qm: Any, run: Any, folder: Path, tmp_path: Path, mode: str, content: bytes, failed: list[bytes]
) -> None:
    for body in (b"one", b"two"):
        qm.put("IN", body)
    run(writing(mode=mode))
    assert (tmp_path / "out" / "file").read_bytes() == content
    assert bodies(qm, "FAILED") == failed


def test_archive_keeps_what_was_there(qm: Any, run: Any, folder: Path, tmp_path: Path) -> None:
    for body in (b"one", b"two"):
        qm.put("IN", body)
    run(writing(mode="archive"))
    assert (tmp_path / "out" / "mqsiarchive" / "file").read_bytes() == b"one"
    assert (tmp_path / "out" / "file").read_bytes() == b"two"


@pytest.mark.parametrize(
    ("options", "content"),
    [
        ({"records": "delimited"}, b"a\nbc\n"),
        ({"records": "delimited", "delimiter": "0d0a"}, b"a\r\nbc\r\n"),
        ({"records": "unmodified"}, b"abc"),
        ({"records": "fixedLength", "length": 3}, b"a  bc "),
    ],
)
def test_a_file_copied_record_by_record_is_finished_by_eod(
    qm: Any, run: Any, folder: Path, tmp_path: Path, options: dict[str, Any], content: bytes
) -> None:
    (folder / "one").write_bytes(b"a\nbc\n")
    flow = Flow("copy")
    start = flow.add(nodes.FileInput("in", records="delimited"))
    write = flow.add(nodes.FileOutput("out", "file", **options))
    done = flow.add(nodes.MQOutput("OUT"))
    start.out >> write.in_
    start.EOD >> write.finish
    write.EOD >> done.in_
    assert not (tmp_path / "out" / "file").exists()
    run(flow)
    assert (tmp_path / "out" / "file").read_bytes() == content
    assert bodies(qm, "OUT") == [b""]


def test_records_stay_in_transit_until_the_file_is_finished(
    qm: Any, run: Any, folder: Path, tmp_path: Path
) -> None:
    qm.put("IN", b"a")
    run(writing(records="delimited"))
    assert not (tmp_path / "out" / "file").exists()
    assert (tmp_path / "out" / "mqsitransit" / "file").read_bytes() == b"a\n"


def test_a_record_that_does_not_fit_fails(qm: Any, run: Any, folder: Path) -> None:
    qm.put("IN", b"long")
    run(writing(records="fixedLength", length=2))
    assert bodies(qm, "FAILED") == [b"long"]


class Naming(Node):
    """Lets the message say where it goes."""

    def process(self, assembly: Any, at: Any) -> None:
        from penstock.flow.new_messages import body_of
        from penstock.tree import Path as TreePath

        local = assembly.copied_local_environment()
        directory, _, name = body_of(assembly.message).decode().rpartition(":")
        local.set(TreePath("Destination", "File", "Directory"), directory)
        local.set(TreePath("Destination", "File", "Name"), name)
        at.send("out", assembly.sending(local_environment=local))


@pytest.mark.parametrize(
    ("where", "is_written"),
    [
        (b":other", True),
        (b"sub:other", True),
        (b":../other", False),
        (b"..:other", False),
        (b":.hidden", False),
    ],
)
def test_a_name_from_the_message_stays_below_the_folder(
    qm: Any, run: Any, folder: Path, tmp_path: Path, where: bytes, is_written: bool
) -> None:
    (tmp_path / "out" / "sub").mkdir()
    flow = writing()
    name = flow.add(Naming())
    flow.wires = [w for w in flow.wires if w.source.name != "MQInput"]
    flow.node("MQInput").out >> name.in_
    name.out >> flow.node("FileOutput").in_
    qm.put("IN", where)
    run(flow)
    assert bodies(qm, "FAILED") == ([] if is_written else [where])
    assert len([path for path in tmp_path.rglob("other") if path.is_file()]) == is_written


@pytest.mark.parametrize("options", [{"directory": ""}, {"outside": True}])
def test_the_message_may_name_any_directory_if_the_flow_lets_it(
    qm: Any, run: Any, folder: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    flow = writing()
    for property, value in options.items():
        flow.node("FileOutput").set_property(property, value)
    name = flow.add(Naming())
    flow.wires = [w for w in flow.wires if w.source.name != "MQInput"]
    flow.node("MQInput").out >> name.in_
    name.out >> flow.node("FileOutput").in_
    qm.put("IN", f"{elsewhere}:other".encode())
    run(flow)
    assert (elsewhere / "other").read_bytes().endswith(b":other")


def test_a_node_without_any_directory_fails(qm: Any, run: Any, folder: Path) -> None:
    flow = writing()
    flow.node("FileOutput").set_property("directory", "")
    qm.put("IN", b"x")
    run(flow)
    assert bodies(qm, "FAILED") == [b"x"]


# -- FileRead ------------------------------------------------------------------------------


def looking(**options: Any) -> Flow:
    flow = Flow("looking")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    node = flow.add(nodes.FileRead("in", "table", **options))
    start.out >> node.in_
    for terminal, queue in (
        ("out", "OUT"),
        ("noMatch", "OUT2"),
        ("endOfData", "OUT3"),
        ("failure", "FAILED"),
    ):
        node.terminal(terminal) >> flow.add(nodes.MQOutput(queue)).in_
    return flow


def test_a_whole_file_is_the_message(qm: Any, run: Any, folder: Path) -> None:
    (folder / "table").write_bytes(b"content")
    qm.put("IN", b"<a/>", correl_id=b"c" * 24)
    run(looking())
    found = qm.get("OUT")
    assert (found.body, found.correl_id) == (b"content", b"c" * 24)
    assert (folder / "table").exists()


def test_the_record_that_is_selected(qm: Any, run: Any, folder: Path) -> None:
    (folder / "table").write_bytes(b"<r><c>EUR</c></r>\n<r><c>USD</c></r>\n")
    for code in ("USD", "XXX"):
        qm.put("IN", f"<a>{code}</a>".encode())
    options = {"records": "delimited", "domain": "XMLNSC"}
    run(looking(select="Root.XMLNSC.r.c = 'USD'", **options))
    assert bodies(qm, "OUT") == [b"<r><c>USD</c></r>"] * 2
    qm.put("IN", b"<a/>")
    run(looking(select="Root.XMLNSC.r.c = 'GBP'", **options))
    assert bodies(qm, "OUT2") == [b"<a/>"]


def test_end_of_data_and_failure(qm: Any, run: Any, folder: Path) -> None:
    (folder / "table").write_bytes(b"")
    qm.put("IN", b"<a/>")
    run(looking(records="delimited"))
    assert bodies(qm, "OUT3") == [b"<a/>"]
    (folder / "table").unlink()
    qm.put("IN", b"<a/>")
    run(looking())
    assert bodies(qm, "FAILED") == [b"<a/>"]


def test_the_result_may_stand_beside_the_message(qm: Any, run: Any, folder: Path) -> None:
    (folder / "table").write_bytes(b"<r>5</r>")
    flow = looking(domain="XMLNSC", result_location="OutputLocalEnvironment.Table")
    check = flow.add(
        nodes.Filter("LocalEnvironment.Table.r = 5 AND LocalEnvironment.File.Read.NextRecordOffset = 8")
    )
    flow.wires = [w for w in flow.wires if not (w.source.name == "FileRead" and w.output == "out")]
    flow.node("FileRead").out >> check.in_
    check.true >> flow.node("MQOutput").in_
    qm.put("IN", b"<a/>")
    run(flow)
    assert bodies(qm, "OUT") == [b"<a/>"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"records": "odd"}, "records 'odd' is not one of"),
        ({"records": "delimited", "delimiter": "zz"}, "neither line nor bytes"),
        ({"pattern": "../*"}, "is for names"),
        ({"processed": "burn"}, "processed 'burn' is not one of"),
    ],
)
def test_properties_that_cannot_be_are_refused(
    run: Any, folder: Path, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(MQError, match=problem):
        run(reading(**options))


def test_a_file_is_read_from_its_beginning_whatever_one_of_its_name_left(folder: Path) -> None:
    (folder / "day.csv").write_bytes(b"first file")
    first = claim_next(folder, "*", 0, LATER)
    assert first is not None
    first.note(10, 1)
    first.path.unlink()  # a crash in put_away, before the position is removed
    first.let_go()
    (folder / "day.csv").write_bytes(b"SECOND file")
    second = claim_next(folder, "*", 0, LATER)
    assert second is not None
    assert (second.position, second.number) == (0, 0)
    assert [record.data for record in Records().read(second.file, second.position)] == [b"SECOND file"]
    second.let_go()


def test_the_position_of_the_next_file_outlives_the_end_of_the_last(folder: Path) -> None:
    (folder / "a").write_bytes(b"first")
    first = claim_next(folder, "*", 0, LATER)
    assert first is not None
    first.path.unlink()  # put_away is here
    (folder / "a").write_bytes(b"second")
    second = claim_next(folder, "*", 0, LATER)
    assert second is not None
    second.note(3, 1)
    first._end()
    second.let_go()
    again = claim_next(folder, "*", 0, LATER)
    assert again is not None
    assert again.position == 3
    again.let_go()


def test_a_file_may_have_the_longest_of_names(qm: Any, run: Any, folder: Path) -> None:
    (folder / ("n" * 255)).write_bytes(b"a\nb\n")
    run(reading(records="delimited"))
    assert bodies(qm, "OUT") == [b"a", b"b"]
    assert [path.name for path in (folder / "mqsitransitin").iterdir()] == []


def test_a_file_that_another_claims_meanwhile_is_passed_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (folder / name).write_bytes(b"1")
    listed = claims._files

    def racing(*arguments: Any) -> Any:
        found = list(listed(*arguments))
        if arguments[0] == folder:
            found[0].unlink()  # another instance has it
        return found

    monkeypatch.setattr(claims, "_files", racing)
    claim = claim_next(folder, "*", 0, LATER)
    assert claim is not None
    assert claim.name == "b"
    claim.let_go()


def test_a_file_at_work_is_never_overwritten(folder: Path) -> None:
    (folder / "a").write_bytes(b"first")
    claim = claim_next(folder, "*", 0, LATER)
    assert claim is not None
    (folder / "a").write_bytes(b"second")
    assert claim_next(folder, "*", 0, LATER) is None
    assert (claim.path.read_bytes(), (folder / "a").read_bytes()) == (b"first", b"second")
    claim.let_go()


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"a":' * 200_000])
def test_json_of_any_depth_is_an_error_of_the_record(data: bytes) -> None:
    for is_end in (False, True):
        with pytest.raises(MQError, match="within each other"):
            json_length(data, is_end)


def test_a_number_of_any_length_is_measured() -> None:
    assert json_length(b"[" + b"9" * 5000 + b"]", True) == 5002


def test_a_file_that_comes_into_transit_meanwhile_is_not_overwritten(folder: Path) -> None:
    transit = folder / "mqsitransitin"
    transit.mkdir()
    (folder / "a").write_bytes(b"second")
    found: list[Any] = []
    claiming = threading.Thread(target=lambda: found.append(claim_next(folder, "a", 0, LATER)))
    with claims._locked(transit):  # as another instance does while it moves a file
        claiming.start()
        claiming.join(0.2)
        (transit / "a").write_bytes(b"first")
    claiming.join()
    assert found == [None]
    assert ((transit / "a").read_bytes(), (folder / "a").read_bytes()) == (b"first", b"second")


COPYBOOK = """
       01 ORDER.
          05 ID    PIC 9(4).
          05 N     PIC 9.
          05 ITEM  PIC X(3) OCCURS 1 TO 5 DEPENDING ON N.
"""
ORDERS = [b"00012 a b c", b"00023one2  3  ", b"00031xyz"]


@pytest.mark.parametrize("size", [1, 7, 64 << 10])
def test_records_of_a_copybook_come_one_behind_the_other(
    qm: Any, run: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(records_module, "BLOCK_BYTES", size)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "orders.cpy").write_text(COPYBOOK)
    (folder / "one").write_bytes(b"".join(ORDERS))

    run(reading(records="parsedRecordSequence", domain="MRM", model="orders"))

    assert bodies(qm, "OUT") == ORDERS


def test_a_last_record_that_is_not_whole_is_refused(qm: Any, run: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "orders.cpy").write_text(COPYBOOK)
    (folder / "one").write_bytes(b"".join(ORDERS)[:-2])

    run(reading(records="parsedRecordSequence", domain="MRM", model="orders"))

    assert bodies(qm, "OUT") == ORDERS[:2]


def test_what_does_not_say_its_length_is_no_sequence(qm: Any, run: Any, folder: Path) -> None:
    with pytest.raises(Exception, match="messages with a model, not BLOB"):
        run(reading(records="parsedRecordSequence"))
