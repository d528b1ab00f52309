"""The notation of fields, the tables of types, and what validation finds: field, line and reason."""

from __future__ import annotations

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree.swift import Notation, add_table, check, table_of, validate
from penstock.tree.swift.fields import NOTATIONS
from penstock.tree.swift.table import Entry, Sequence
from tests.unit.tree.swift_messages import MT103, MT202, MT543, MT543_LINES, MT940, message


@pytest.mark.parametrize(
    ("notation", "good", "bad"),
    [
        (
            "4!c//16x",
            ["SEME//REF", "A1B2//(a-b)+c"],
            ["SEM//REF", "SEME/REF", "SEME//", "seme//REF", "SEME//" + "x" * 17],
        ),
        ("3*35x", ["one", "one\r\ntwo\r\nthree", "one\ntwo"], ["", "a\nb\nc\nd", "x" * 36, "a\n", "é"]),
        (
            "[N]3!a15d",
            ["EUR12,5", "NEUR12,", "USD1234567890123,"],
            ["EUR12", "EUR,5", "EU12,5", "EUR1,2,3", "EUR1234567890123,45"],
        ),
        ("6!n[4!n]2a", ["240131D", "2401310131RC"], ["24013D", "240131", "240131DDD"]),
        ("[/34x$]4!a2!a2!c[3!c]", ["BANKBEBB", "/12\r\nBANKBEBBXXX"], ["BANKBEB", "/12BANKBEBB\n"]),
        (
            "ISIN1!e12!c[$4*35x]|4*35x",
            ["ISIN US0378331005", "ISIN US0378331005\nX", "JUST TEXT"],
            ["", "a\n\nb"],
        ),
        ("5n[/5n]", ["1", "12345/1"], ["", "123456", "1/"]),
        ("3!h", ["0AF"], ["0ag", "0af"]),
    ],
)
def test_values_fit_their_notation_or_do_not(notation: str, good: list[str], bad: list[str]) -> None:
    compiled = Notation(notation)
    for value in good:
        assert compiled.fits(value), value
        assert compiled.misfit(value) == ""
    for value in bad:
        assert not compiled.fits(value), value
        assert "expected" in compiled.misfit(value)


def test_a_match_gives_the_parts() -> None:
    assert Notation("[N]3!a15d").match("NEUR12,5") == ["N", "EUR", "12,5"]
    assert Notation("4!c/[8c]/4!c").match("SETR//TRAD") == ["SETR", "", "TRAD"]
    assert Notation("4!c").match("NO") is None


@pytest.mark.parametrize("wrong", ["", "[4!c", "4!c]", "0x", "[a|b]"])
def test_notations_that_cannot_be_understood(wrong: str) -> None:
    with pytest.raises(MQError) as caught:
        Notation(wrong)
    assert caught.value.reason == 8146


@pytest.mark.parametrize("tag", sorted(NOTATIONS))
def test_every_notation_compiles_and_misfits_rubbish(tag: str) -> None:
    assert "expected" in Notation(NOTATIONS[tag]).misfit("\u20ac")


@pytest.mark.parametrize("type_", ["103", "202", "540", "541", "542", "543", "940"])
def test_every_field_of_a_table_has_a_notation(type_: str) -> None:
    table = table_of(type_)
    assert table is not None
    waiting: list[Sequence] = [table.body]
    while waiting:
        for entry in waiting.pop().entries:
            if isinstance(entry, Sequence):
                waiting.append(entry)
                continue
            assert isinstance(entry, Entry)
            for letter in entry.letters:
                assert entry.number + letter.strip("-") in NOTATIONS


@pytest.mark.parametrize("data", [MT543, MT103, MT202, MT940])
def test_a_message_that_follows_its_type(data: bytes) -> None:
    assert validate(tree.parse(data, domain="SWIFT")) == []
    check(tree.parse(data, domain="SWIFT"))


def found(lines: list[str], type_: str = "543") -> list[str]:
    return [str(problem) for problem in validate(tree.parse(message(lines, type_), domain="SWIFT"))]


def without(*lines: str) -> list[str]:
    return [line for line in MT543_LINES if line not in lines]


def changed(line: str, new: str) -> list[str]:
    return [new if each == line else each for each in MT543_LINES]


def test_a_missing_field() -> None:
    assert found(without(":20C::SEME//REF0001")) == ["line 9: A GENL 20C::SEME: missing"]
    assert found(without(":98A::SETT//20240202")) == ["line 26: B TRADDET 98a::SETT: missing"]


def test_a_missing_sequence() -> None:
    begin, end = MT543_LINES.index(":16R:FIAC"), MT543_LINES.index(":16S:FIAC")
    problems = found(MT543_LINES[:begin] + MT543_LINES[end + 1 :])
    assert [problem.partition(": ")[2] for problem in problems] == ["FIAC: missing"]


def test_a_wrong_value_with_its_line_and_reason() -> None:
    line = 2 + MT543_LINES.index(":98A::SETT//20240202")
    problems = found(changed(":98A::SETT//20240202", ":98A::SETT//2024-02-02"))
    assert problems == [f"line {line}: B TRADDET 98A::SETT: expected 8!n (exactly 8 digits) at character 8"]


def test_a_wrong_value_behind_fields_of_several_lines() -> None:
    line = 2 + MT543_LINES.index(":19A::SETT//EUR101250,")
    (problem,) = found(changed(":19A::SETT//EUR101250,", ":19A::SETT//EUR101250"))
    assert problem.startswith(f"line {line}: E3 AMT 19A::SETT: expected")


def test_a_letter_that_is_not_used_here() -> None:
    (problem,) = found(changed(":98A::LOTS//20240101", ":98B::LOTS//OPEN"))
    assert "C1 BREAK 98B::LOTS: this letter is not used here; 98A, 98C, 98E" in problem


def test_a_field_out_of_order_and_one_that_does_not_belong() -> None:
    lines = without(":23G:NEWM")
    lines.insert(0 + lines.index(":16S:GENL"), ":23G:NEWM")
    assert any("23G: out of order" in problem for problem in found(lines))
    (problem,) = found(changed(":70E::SPRO//DELIVER ON TIME", ":77E::SPRO//X"))
    assert "B TRADDET 77E::SPRO: not in this sequence" in problem


def test_a_field_more_than_once() -> None:
    lines = list(MT543_LINES)
    lines.insert(lines.index(":23G:NEWM"), ":23G:NEWM")
    assert found(lines) == ["line 5: A GENL 23G: more than once"]


def test_against_payment_the_settlement_amount_is_required() -> None:
    lines = changed(":19A::SETT//EUR101250,", ":19A::DEAL//EUR101250,")
    (problem,) = found(lines)
    assert "AMT 19A::SETT: missing" in problem
    assert found(lines, "542") == []


def test_wrong_headers() -> None:
    data = MT543.replace(b"BANKBEBBAXXX0000000000}", b"BANKBEBBAXXX00000000}")
    assert [problem.field for problem in validate(tree.parse(data, domain="SWIFT"))] == ["Block1"]


def test_a_message_too_long() -> None:
    lines = list(MT543_LINES)
    for _ in range(400):
        lines.insert(lines.index(":25D::MTCH//MACH"), ":22F::PROC/ABCDEFGH/OPEP")
    assert any("at most 10000" in problem for problem in found(lines))


def test_check_names_the_problems() -> None:
    with pytest.raises(MQError) as caught:
        check(tree.parse(message(without(":23G:NEWM")), domain="SWIFT"))
    assert caught.value.reason == 8145
    assert "A GENL 23G: missing" in str(caught.value)


def test_a_type_without_a_table_and_one_that_is_added() -> None:
    with pytest.raises(MQError) as caught:
        found([":20:X"], "999")
    assert caught.value.reason == 8146
    add_table("999", "Free Format", "20 M\n21 O\n72 M\n")
    assert found([":20:X", ":72:TEXT"], "999") == []
    assert found([":20:X"], "999") == ["line 3: 72: missing"]


@pytest.mark.parametrize("text", ["20 X\n", "    20 M\n", "A GENL M\n      20 M\n", "20C\n"])
def test_a_table_that_cannot_be_understood(text: str) -> None:
    with pytest.raises(MQError) as caught:
        add_table("998", "wrong", text)
    assert caught.value.reason == 8146


def test_a_value_that_cannot_be_written_is_a_problem_too() -> None:
    swift = tree.parse(MT543, domain="SWIFT")
    swift.set(tree.Path("SWIFT", "Block4", "GENL", "20C::SEME"), "a}b")
    problems = validate(swift)
    assert [problem.field for problem in problems] == ["Block4", "20C::SEME"]
    assert "brace" in problems[0].reason
