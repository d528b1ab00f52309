"""XML 1.0, 3.3.3: white space in attribute values is read as blanks, references to it are not."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import value


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a\tb\nc", "a b c"),
        ("a\r\nb", "a b"),
        ("a\rb", "a b"),
        ("a&#9;b&#10;c&#13;d", "a\tb\nc\rd"),
        (" a  b ", " a  b "),
        ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
        ("&#65;&#x42;", "AB"),
    ],
)
def test_normalisation(text: str, meant: str) -> None:
    assert value(f'<a b="{text}"/>', "a", "@b") == meant
