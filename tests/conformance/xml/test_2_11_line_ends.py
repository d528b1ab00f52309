"""XML 1.0, 2.11: CRLF and CR are read as LF; character references are not."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import value


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\nb"),
        ("a\r\r\nb", "a\n\nb"),
        ("a\n\rb", "a\n\nb"),
        ("a&#13;b", "a\rb"),
        ("a&#xD;&#xA;b", "a\r\nb"),
    ],
)
def test_line_ends_of_text(text: str, meant: str) -> None:
    assert value(f"<a>{text}</a>", "a") == meant
    if "&" not in text:
        assert value(f"<a><![CDATA[{text}]]></a>", "a") == meant
