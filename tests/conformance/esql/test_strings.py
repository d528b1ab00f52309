"""String functions, for CHARACTER, BLOB and BIT."""

from __future__ import annotations

import pytest

from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import evaluate, same

# What it says = what it is.
CASES = """
LENGTH('Hello') = 5
LENGTH('') = 0
LENGTH(X'0102') = 2
LENGTH(B'10101') = 5
UPPER('abc é ß') = 'ABC É SS'
UCASE('abc') = 'ABC'
UPPER(X'6162') = X'4142'
LOWER('ABC') = 'abc'
LCASE('ABC') = 'abc'
LEFT('abcdef', 3) = 'abc'
LEFT('abc', 9) = 'abc'
LEFT('abc', 0) = ''
RIGHT('abcdef', 2) = 'ef'
RIGHT('abc', 9) = 'abc'
RIGHT('abc', 0) = ''
RIGHT(X'010203', 1) = X'03'
SUBSTRING('Hello World!' FROM 7 FOR 4) = 'Worl'
SUBSTRING('Hello World!' FROM 7) = 'World!'
SUBSTRING('Hello' FROM 0 FOR 2) = 'H'
SUBSTRING('Hello' FROM -1 FOR 4) = 'He'
SUBSTRING('Hello' FROM 4 FOR 9) = 'lo'
SUBSTRING('Hello' FROM 9) = ''
SUBSTRING('Hello' FOR 2) = 'He'
SUBSTRING('Hello World!' BEFORE 'World') = 'Hello '
SUBSTRING('Hello World!' BEFORE 'World' FOR 3) = 'lo '
SUBSTRING('Hello World!' AFTER 'W') = 'orld!'
SUBSTRING('Hello World!' AFTER 'W' FOR 2) = 'or'
SUBSTRING(X'0102030405' FROM 2 FOR 2) = X'0203'
SUBSTRING(B'110100' FROM 2 FOR 3) = B'101'
POSITION('Village' IN 'Hursley Village') = 9
POSITION('Town' IN 'Hursley Village') = 0
POSITION('B' IN 'ABCABCABCABCABC') = 2
POSITION('A' IN 'ABCABCABCABCABC' FROM 4) = 4
POSITION('C' IN 'ABCABCABCABCABC' FROM 2) = 3
POSITION('B' IN 'ABCABCABCABCABC' REPEAT 2) = 5
POSITION('C' IN 'ABCABCABCABCABC' REPEAT 4) = 12
POSITION('A' IN 'ABCABCABCABCABC' FROM 4 REPEAT 2) = 7
POSITION('AB' IN 'ABCABCABCABCABC' FROM 2 REPEAT 3) = 10
POSITION('A' IN 'ABCABCABCABCABC' REPEAT -2) = 10
POSITION('BC' IN 'ABCABCABCABCABC' FROM 2 REPEAT -3) = 5
POSITION('A' IN 'ABC' REPEAT 2) = 0
POSITION('' IN 'ABC') = 1
POSITION(X'0A' IN X'00000A') = 3
TRIM('  ab  ') = 'ab'
TRIM(TRAILING 'b' FROM 'aaabBb') = 'aaabB'
TRIM(LEADING 'a' FROM 'aaab') = 'b'
TRIM(BOTH '*' FROM '**x**') = 'x'
TRIM('a' FROM 'aba') = 'b'
TRIM(LEADING ' - ' FROM ' -  - a - b') = 'a - b'
TRIM(LEADING X'EFBBBF' FROM X'EFBBBF41') = X'41'
TRIM(BOTH 'ab' FROM 'ababa') = 'a'
TRIM(LEADING FROM '  a ') = 'a '
TRIM(X'00004100') = X'41'
LTRIM('  a ') = 'a '
RTRIM(' a  ') = ' a'
OVERLAY('ABCDEFGHIJ' PLACING '1234' FROM 4 FOR 3) = 'ABC1234GHIJ'
OVERLAY('ABCDEF' PLACING 'xx' FROM 2) = 'AxxDEF'
OVERLAY('ABC' PLACING 'x' FROM 2 FOR 0) = 'AxBC'
REPLACE('ABCDABCDABCDA', 'A', 'AA') = 'AABCDAABCDAABCDAA'
REPLACE('AAAABCDEFGHIJK', 'AA', 'A') = 'AABCDEFGHIJK'
REPLACE('A-B-C', '-') = 'ABC'
REPLACE('abc', '', 'x') = 'abc'
REPLACE(X'0D0A0D', X'0D') = X'0A'
REPLICATE('ab', 3) = 'ababab'
REPLICATE('ab', 0) = ''
REPEAT('x', 2) = 'xx'
SPACE(3) = '   '
TRANSLATE('12-34', '-', '/') = '12/34'
TRANSLATE('abcabc', 'ac', 'xz') = 'xbzxbz'
TRANSLATE('a-b c', '- ') = 'abc'
TRANSLATE('abc', 'abc', 'x') = 'x'
TRANSLATE(X'00410042', X'00') = X'4142'
CONTAINS('Hello', 'ell') = TRUE
CONTAINS('Hello', 'x') = FALSE
CONTAINS('Hello', '') = TRUE
CONTAINS(X'010203', X'02') = TRUE
STARTSWITH('Hello', 'He') = TRUE
STARTSWITH('Hello', 'he') = FALSE
ENDSWITH('Hello', 'lo') = TRUE
ENDSWITH('Hello', 'l') = FALSE
LENGTH(NULL) = NULL
UPPER(NULL) = NULL
LEFT(NULL, 1) = NULL
LEFT('a', NULL) = NULL
SUBSTRING(NULL FROM 1) = NULL
SUBSTRING('a' FROM 1 FOR NULL) = NULL
POSITION('a' IN NULL) = NULL
TRIM(NULL) = NULL
TRIM(BOTH NULL FROM 'a') = NULL
OVERLAY('a' PLACING NULL FROM 1) = NULL
REPLACE('a', 'a', NULL) = NULL
TRANSLATE(NULL, 'a') = NULL
CONTAINS('a', NULL) = NULL
SPACE(NULL) = NULL
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_string_function(case: str) -> None:
    said, _, expected = case.rpartition(" = ")

    found = evaluate(said)

    assert same(found, evaluate(expected)), found


@pytest.mark.parametrize(
    ("case", "state"),
    [
        ("LENGTH(5)", "S42000"),
        ("UPPER(1.5)", "S42000"),
        ("LEFT('abc', 'x')", "S42000"),
        ("REPLACE('abc', X'00')", "S42000"),
        ("TRIM(BOTH '' FROM 'abc')", "S22023"),
        ("POSITION('a' IN 'abc' FROM 0)", "S22023"),
        ("POSITION('a' IN 'abc' REPEAT 0)", "S22023"),
        ("REPLICATE('a', -1)", "S22023"),
        ("SPACE(999999999999)", "S22001"),
    ],
)
def test_string_function_refuses(case: str, state: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(case)
    assert raised.value.fields["sqlstate"] == state


def test_decision_substring_with_negative_length_is_empty() -> None:
    assert evaluate("SUBSTRING('abc' FROM 1 FOR -1)") == ""


def test_decision_substring_before_or_after_what_is_not_there_is_empty() -> None:
    assert evaluate("SUBSTRING('abc' BEFORE 'x')") == ""
    assert evaluate("SUBSTRING('abc' AFTER 'x')") == ""


def test_decision_position_counts_places_that_overlap() -> None:
    assert evaluate("POSITION('AA' IN 'AAAA' REPEAT 2)") == 2


def test_decision_left_of_negative_length_is_empty() -> None:
    assert evaluate("LEFT('abc', -1)") == ""
    assert evaluate("RIGHT('abc', -1)") == ""


@pytest.mark.parametrize(
    ("text", "pattern", "escape", "expected"),
    [
        ("Hello", "H%", "\\", True),
        ("Hello", "h%", "\\", False),
        ("Hello", "_ello", "\\", True),
        ("Hello", "Hello_", "\\", False),
        ("100%", "100\\%", "\\", True),
        ("1000", "100\\%", "\\", False),
        ("a_c", "a$_c", "$", True),
        ("abc", "a$_c", "$", False),
        ("line\nend", "line%", "\\", True),
        ("a.c", "a.c", "\\", True),
        ("abc", "a.c", "\\", False),
        (None, "%", "\\", None),
        ("a", None, "\\", None),
    ],
)
def test_like(text: object, pattern: object, escape: str, expected: object) -> None:
    from penstock.esql.runtime.values.strings import like

    assert like(text, pattern, escape) is expected


def test_many_percent_signs_do_not_explode() -> None:
    from penstock.esql.runtime.values.strings import like

    assert like("a" * 5000, "%" * 200 + "b") is False
