from __future__ import annotations

import datetime as dt
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING

import pytest

from penstock import MQError, tree
from penstock.tree import Path
from penstock.tree.core._values import as_characters

if TYPE_CHECKING:
    from collections.abc import Callable


def fields(body: bytes, **options) -> list[tuple[str, object]]:
    message = tree.parse(body, domain="XMLNSC", **options)
    return [
        (f"{field.type:08X}:{field.name}", field.value) for field in message.reference(Path("XMLNSC", "*"))
    ]


def again(body: bytes, domain: str = "XMLNSC", **options) -> bytes:
    return tree.parse(body, domain=domain, **options).serialise(ccsid=1208)


def problem(body: bytes, domain: str = "XMLNSC") -> MQError:
    with pytest.raises(MQError) as caught:
        tree.parse(body, domain=domain, timing="immediate")
    return caught.value


def test_text_is_the_value_of_its_element():
    assert fields(b"<a>x</a>") == []
    message = tree.parse(b"<a>x&#x41;&lt;\r\ny\r</a>", domain="XMLNSC")
    assert message.get(Path("XMLNSC", "a")) == "xA<\ny\n"


def test_empty_element_is_an_empty_value():
    assert fields(b"<r><a/><b></b><c d='1'/></r>") == [
        ("03000000:a", ""),
        ("03000000:b", ""),
        ("03000000:c", ""),
    ]


def test_text_in_pieces_is_put_together():
    assert fields(b"<r><a>1<!-- 2 -->3<![CDATA[<4>]]>&amp;5<?p?></a></r>") == [("03000000:a", "13<4>&5")]
    pieces = 20_000
    message = tree.parse(b"<a>" + b"x<!---->" * pieces + b"</a>", domain="XMLNSC")
    assert message.get(Path("XMLNSC", "a")) == "x" * pieces


def test_cdata_stays_cdata():
    body = b"<r><a><![CDATA[<x> & ]]></a></r>"
    assert fields(body) == [("03000001:a", "<x> & ")]
    message = tree.parse(body, domain="XMLNSC")
    message.set(Path("XMLNSC", "r", "a"), "1 ]]> 2")
    assert message.serialise() == b"<r><a><![CDATA[1 ]]]]><![CDATA[> 2]]></a></r>"


def test_mixed_text_is_dropped_or_kept():
    body = b"<r>1<b>2</b>3<!-- c --><?p d?></r>"
    assert fields(body) == [("03000000:b", "2")]
    assert again(body) == b"<r><b>2</b></r>"
    assert fields(body, mixed=True) == [("02000000:", "1"), ("03000000:b", "2"), ("02000000:", "3")]
    assert again(body, mixed=True, comments=True, instructions=True) == body
    assert again(body, "XMLNS") == body


def test_declaration_is_a_folder():
    body = b'<?xml version="1.0" encoding="UTF-8" standalone="no"?><a/>'
    message = tree.parse(body, domain="XMLNSC")
    assert message.get(Path("XMLNSC", "XmlDeclaration", "@Version")) == "1.0"
    assert message.get(Path("XMLNSC", "XmlDeclaration", "Encoding")) == "UTF-8"
    assert again(body) == body
    assert again(b"<?xml version='1.0'?><a/>") == b'<?xml version="1.0"?><a/>'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", 8101),
        (b"<a>", 8101),
        (b"<a></b>", 8101),
        (b"<a/><b/>", 8101),
        (b"x<a/>", 8101),
        (b"<a b=1/>", 8101),
        (b"<a b='1' b='2'/>", 8101),
        (b"<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", 8101),
        (b"<p:a/>", 8101),
        (b"<a xmlns:p=''/>", 8101),
        (b"<a>]]></a>", 8101),
        (b"<a>&</a>", 8101),
        (b"<a>&#0;</a>", 8101),
        (b"<a>\x01</a>", 8101),
        (b"<a>\xff</a>", 8101),
        (b"<a><!-- -- --></a>", 8101),
        (b" <?xml version='1.0'?><a/>", 8101),
        (b"<?xml version='2.0'?><a/>", 8101),
        (b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", 8102),
        (b"<a>&nbsp;</a>", 8103),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", 8104),
        (b"<?xml version='1.0' encoding='unicode_escape'?><a/>", 8104),
        (b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>", 8104),
    ],
)
def test_refused(body: bytes, reason: int):
    for domain in ("XMLNSC", "XMLNS"):
        assert problem(body, domain).reason == reason


def test_error_says_where():
    found = problem("<a>\n <é>x</b>\n</a>".encode())
    assert (found.fields["line"], found.fields["column"]) == (2, 8)
    assert found.detail.splitlines()[1:] == ["   <é>x</b>", " " * 9 + "^"]


def test_xml_domain_has_no_namespaces():
    body = b'<p:a xmlns:p="u" q:b="1"><p:c>x</p:c></p:a>'
    message = tree.parse(body, domain="XML")
    assert message.get(Path("XML", "p:a", "p:c")) == "x"
    assert message.get(Path("XML", "p:a", "@q:b")) == "1"
    assert again(body, "XML") == body


def test_verbose_set_and_get():
    message = tree.parse(b"<a>x<b/></a>", domain="XMLNS")
    assert message.get(Path("XMLNS", "a")) == "x"
    message.set_value(Path("XMLNS", "a"), "y")
    message.set(Path("XMLNS", "a", "b"), "z")
    message.set(Path("XMLNS", "a", "@c"), "1")
    assert message.serialise() == b'<a c="1">y<b>z</b></a>'


@pytest.mark.parametrize(
    ("codec", "declared"),
    [
        ("latin-1", "ISO-8859-1"),
        ("utf-16", "UTF-16"),
        ("cp1252", "windows-1252"),
        ("cp037", "IBM037"),
        ("cp1140", "IBM01140"),
    ],
)
def test_declared_encodings_survive_a_change(codec: str, declared: str):
    body = f'<?xml version="1.0" encoding="{declared}"?><a><b>é</b><c>1</c></a>'.encode(codec)
    message = tree.parse(body, domain="XMLNSC")
    assert message.get(Path("XMLNSC", "a", "b")) == "é"
    assert message.serialise() == body
    message.set(Path("XMLNSC", "a", "c"), "ü")
    text = message.serialise().decode(codec)
    assert text == f'<?xml version="1.0" encoding="{declared}"?><a><b>é</b><c>ü</c></a>'


def test_ccsid_of_the_message_comes_first_and_can_be_changed():
    body = "<a>é</a>".encode("cp500")
    message = tree.parse(body, domain="XMLNSC", ccsid=500)
    assert message.get(Path("XMLNSC", "a")) == "é"
    message.set(Path("XMLNSC", "a"), "ö")
    assert message.serialise() == "<a>ö</a>".encode("cp500")
    assert message.serialise(ccsid=1208) == "<a>ö</a>".encode()
    message.set(Path("XMLNSC", "a"), "€")
    with pytest.raises(MQError) as caught:
        message.serialise()
    assert caught.value.reason == 2119


def test_encoding_in_the_declaration_follows_the_output():
    message = tree.parse(b'<?xml version="1.0" encoding="UTF-8"?><a/>', domain="XMLNSC")
    assert message.serialise(ccsid=819) == b'<?xml version="1.0" encoding="ISO-8859-1"?><a/>'


def test_generated_prefixes():
    message = tree.Message()
    a = Path("XMLNSC", "{u}a")
    message.set(a / "@{v}x", 1)
    message.set(a / "{u}b", "2")
    message.set(a / "c", "3")
    assert (
        message.serialise()
        == b'<NS1:a xmlns:NS1="u" xmlns:NS2="v" NS2:x="1"><NS1:b>2</NS1:b><c>3</c></NS1:a>'
    )


def test_declared_prefixes_are_used_and_never_hidden_wrongly():
    message = tree.Message()
    a = message.create(Path("XMLNSC", "{u}a"))
    kind = tree.XMLNSC_TYPES["NamespaceDecl"]
    a.add_last_child("p", "u", type=kind)
    b = a.add_last_child("b", namespace="u")
    b.add_last_child("p", "v", type=kind)
    b.add_last_child("c", "1", namespace="u")
    b.add_last_child("d", "2", namespace="v")
    body = message.serialise()
    check = tree.parse(body, domain="XMLNSC")
    assert check.get(Path("XMLNSC", "{u}a", "{u}b", "{u}c")) == "1"
    assert check.get(Path("XMLNSC", "{u}a", "{u}b", "{v}d")) == "2"


def test_default_namespace_is_undone_where_it_must():
    message = tree.parse(b'<a xmlns="u"/>', domain="XMLNSC")
    message.set(Path("XMLNSC", "{u}a", "b"), "1")
    assert message.serialise() == b'<a xmlns="u"><b xmlns="">1</b></a>'


@pytest.mark.parametrize(
    ("name", "value"),
    [("a b", "x"), ("1a", "x"), ("", "x"), ("a:b", "x"), ("a", "\x00"), ("a", "\ud800"), ("a", "\uffff")],
)
def test_what_xml_cannot_say_is_refused(name: str, value: str):
    message = tree.Message()
    message.create(Path("XMLNSC")).add_last_child(name, value)
    with pytest.raises(MQError) as caught:
        message.serialise()
    assert caught.value.reason == 8130


def test_two_roots_are_refused():
    message = tree.Message()
    message.set(Path("XMLNSC", "a"), 1)
    message.set(Path("XMLNSC", "b"), 1)
    with pytest.raises(MQError) as caught:
        message.serialise()
    assert caught.value.reason == 8130


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (12, "12"),
        (44.72, "4.472E+1"),
        (0.0, "0.0E+0"),
        (-1e-7, "-1.0E-7"),
        (1e22, "1.0E+22"),
        (Decimal("1E+3"), "1000"),
        (b"\x0a\xff", "0AFF"),
        (dt.date(2024, 1, 31), "2024-01-31"),
        (dt.time(1, 2, 3), "01:02:03.000000"),
        (dt.datetime(2024, 1, 31, 1, 2, 3, 4), "2024-01-31T01:02:03.000004"),  # noqa: DTZ001 - ESQL's TIMESTAMP has no zone
        (dt.datetime(2024, 1, 31, tzinfo=dt.UTC), "2024-01-31T00:00:00.000000Z"),
        (dt.timedelta(seconds=1.5), "INTERVAL '1.500000' SECOND"),
    ],
)
def test_values_as_text(value: object, text: str):
    message = tree.Message()
    message.set(Path("XMLNSC", "a"), value)
    assert message.get(Path("XMLNSC", "a")) == value
    assert tree.parse(message.serialise(), domain="XMLNSC").get(Path("XMLNSC", "a")) == text


def test_deep_trees_are_written_without_recursion():
    message = tree.Message()
    here = message.create(Path("XMLNSC"))
    for _ in range(50_000):
        here = here.add_last_child("a")
    assert message.serialise().count(b"<a>") == 49_999
    assert message.copy().get(Path("XMLNSC", "a", "a")) is None
    assert len(str(message).splitlines()) > 50_000
    message.delete(Path("XMLNSC", "a"))


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (lambda r: r.set(Path("a"), "x"), b"<a>x</a><b><c><d>1</d><d>2</d></c></b>"),
        (lambda r: r.set(Path("b", "c", ("d", 2)), "x"), b"<a>0</a><b><c><d>1</d><d>x</d></c></b>"),
        (lambda r: r.delete(Path("b", "c", "d")), b"<a>0</a><b><c><d>2</d></c></b>"),
        (
            lambda r: setattr(r.create(Path("b")), "name", "e"),
            b"<a>0</a><e><c><d>1</d><d>2</d></c></e>",
        ),
        (lambda r: r.set(Path("b", "@n"), 1), b'<a>0</a><b n="1"><c><d>1</d><d>2</d></c></b>'),
    ],
)
def test_what_is_changed_is_written_and_the_rest_as_it_came(
    change: Callable[[tree.Reference], None], written: bytes
):
    message = tree.parse(b"<r><a>0</a><b><c><d>1</d><d>2</d></c></b></r>", domain="XMLNSC")
    change(message.create(Path("XMLNSC", "r")))
    assert message.serialise() == b"<r>" + written + b"</r>"
    assert message.copy().serialise() == b"<r>" + written + b"</r>"


def test_a_field_that_moved_below_a_default_namespace_leaves_it():
    message = tree.parse(b"<r><b><c>1</c></b><n xmlns='u'><x/></n></r>", domain="XMLNSC")
    moved, target = message.create(Path("XMLNSC", "r", "b")), message.reference(Path("XMLNSC", "r", "{u}n"))
    assert target is not None
    target.attach_last_child(moved)
    assert message.serialise() == b'<r><n xmlns="u"><x/><b xmlns=""><c>1</c></b></n></r>'


def test_a_float_is_written_with_the_fewest_digits_that_read_back():
    random = Random(7)
    for _ in range(20_000):
        digits = random.randint(0, 17)
        for value in (
            random.uniform(-1, 1) * 10**digits,
            round(random.uniform(0, 10**9), digits % 9),
            1 / (digits + 3),
        ):
            text = as_characters(value)
            shown = Decimal(repr(value)).normalize().as_tuple().digits
            assert float(text) == value
            assert len([each for each in text.partition("E")[0] if each.isdigit()]) == max(len(shown), 2), (
                value
            )
