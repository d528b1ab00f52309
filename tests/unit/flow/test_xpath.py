"""XPath over the tree, compared with lxml on the same documents, and the limits."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from lxml import etree

import penstock
from penstock.flow.xpath import compile_xpath
from penstock.flow.xpath.values import Text
from penstock.tree import parse

DOCUMENT = b"""<Order id="7" rush="y"><Customer><Name>Ann</Name><City>Bonn</City></Customer><Item
n="1"><Price>5.50
</Price><Count>2</Count></Item><Item n="2"><Price>20</Price><Count>1</Count></Item><Item n="3"><Price>7</Price
><Count>10</Count></Item><x:Note xmlns:x="urn:n">some  text </x:Note><Empty></Empty></Order>"""
BEGINNING = re.compile(r"(?<![\w\])*/.])/")  # of a path: lxml's root is our body
NAMESPACES = {"p": "urn:n"}
EXPRESSIONS = [
    "/Order/Customer/Name",
    "/Order/Item[2]/Price",
    "/Order/Item[last()]/@n",
    "/Order/Item[Price > 6]/@n",
    "/Order/Item[@n='2'][Count=1]/Price",
    "count(//Item)",
    "count(//Item//Price)",
    "count(//*)",
    "sum(//Count)",
    "//Item[position() > 1]/Count",
    "//Price/../@n",
    "/Order/Item[1]/following-sibling::Item/@n",
    "//Item[3]/preceding-sibling::Item/@n",
    "//Name/ancestor::Order/@id",
    "//Count/parent::*/@n",
    "/Order/p:Note",
    "/Order/p:*",
    "normalize-space(/Order/p:Note)",
    "string-length(/Order/Customer/City)",
    "concat(/Order/Customer/Name, ' of ', //City)",
    "substring('12345', 2, 3)",
    "substring('12345', 1.5, 2.6)",
    "substring('12345', 0)",
    "substring-before('a=b', '=')",
    "substring-after('a=b', '=')",
    "translate('bar', 'abc', 'AB')",
    "starts-with(//Name, 'An')",
    "contains(//Name, 'nn')",
    "not(//Missing)",
    "//Missing = ''",
    "//Item/Price = 20",
    "//Item/Price != 20",
    "//Item/Price < //Item/Count",
    "//Price + 1",
    "7 mod 3",
    "-7 mod 3",
    "7 div 2",
    "1 div 0",
    "2 * -3",
    "--3",
    "floor(-2.5)",
    "ceiling(2.1)",
    "round(2.5)",
    "round(-2.5)",
    "number('x') = number('x')",
    "boolean('')",
    "boolean(0)",
    "true() and (false() or //Name)",
    "namespace-uri(//p:Note)",
    "string(/Order/Item[1])",
    "/Order/Customer/Name/text()",
    "count(/Order/Customer/node())",
    "//Item[1] | //Item[2]",
    "(//Item)[2]/@n",
    "/Order/descendant::Count[2]",
    "/Order/*[self::Item]/@n",
    "/Order/@*",
    "'a' = 'a' = true()",
    "1 < 2 < 1",
    "//div | //Name",
    "string(true())",
    "string(1.50)",
    "string(//Empty)",
]


def of_tree(expression: str) -> Any:
    message = parse(DOCUMENT, domain="XMLNSC")
    body = message.body
    assert body is not None
    value = compile_xpath(expression, frozenset({"Body"}), NAMESPACES).value(body, {"Body": body})
    if isinstance(value, list):
        return [str(item) if isinstance(item, Text) else text(item) for item in value]
    return value


def text(field: Any) -> str:
    return compile_xpath("string(.)", frozenset()).value(field, {})  # type: ignore[return-value]


def of_lxml(expression: str) -> Any:
    value = etree.fromstring(DOCUMENT).getroottree().xpath(expression, namespaces=NAMESPACES)
    if isinstance(value, list):
        return [each if isinstance(each, str) else "".join(each.itertext()) for each in value]
    return value


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_same_as_lxml(expression: str) -> None:
    ours = of_tree(BEGINNING.sub("$Body/", expression))
    theirs = of_lxml(expression)
    if isinstance(theirs, float) and math.isnan(theirs):
        assert math.isnan(ours)
    else:
        assert ours == theirs


REPEATED = b"""<r a="0"><g a="1"><v>1</v><v>2</v><w/></g>text<g a="2"/><x:g xmlns:x="urn:n"><v>3</v></x:g><g
a="3"><v>4<!-- c --></v><v a="5">5</v></g></r>"""


@pytest.mark.parametrize(
    "names", ["r", "r/g", "r/g/v", "r/g/@a", "r/@a", "r/p:g/v", "r/g/v/@a", "r/g/v/none", "@a", "r/@g"]
)
@pytest.mark.parametrize("domain", ["XMLNSC", "XMLNS", "XML"])
def test_paths_of_names_find_what_stepping_finds(names: str, domain: str) -> None:
    message = parse(REPEATED, domain=domain)
    stepping = "/".join(f"{name}[true()]" for name in names.split("/"))
    found = [
        compile_xpath(each, frozenset(), NAMESPACES).value(message.body, {})  # type: ignore[arg-type]
        for each in (names, stepping)
    ]
    assert found[0] == found[1]


def test_paths_of_names_have_the_limit_of_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.flow.xpath.axes.VISITS_MAX", 5)
    with pytest.raises(Exception, match="more than 5 fields"):
        of_tree("$Body/Order/Item/Price")


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("", "a step needs a name here"),
        ("a b", "'b' does not belong here"),
        ("a[", "a step needs a name here"),
        ("a[1", "] is missing"),
        ("a = ", "a step needs a name here"),
        ("#", "this is not XPath"),
        ("following::a", "axis following is not supported"),
        ("count('x')", "takes fields, not a value"),
        ("'a'/b", "a path begins with fields"),
        ("'a' | b", "joins fields"),
        ("(" * 60 + "1" + ")" * 60, "at most 50"),
        ("a" * 20_000, "at most 16384 characters"),
    ],
)
def test_what_is_wrong_is_said(expression: str, problem: str) -> None:
    with pytest.raises(Exception, match=problem) as raised:
        of_tree(expression)
    assert raised.value.reason == 8308  # type: ignore[attr-defined]


def test_what_an_expression_may_visit_is_limited() -> None:
    message = parse(b"<a>" + b"<b/>" * 2000 + b"</a>", domain="XMLNSC")
    wide = compile_xpath("count(//*[count(//*) > 0]) > 0", frozenset())
    with pytest.raises(Exception, match="looks at more than 1000000 fields"):
        wide.value(message.body, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("inner", ["$Body/a/b", "$Body/a/none"])
def test_a_path_of_names_in_a_predicate_uses_up_the_limit(inner: str) -> None:
    message = parse(b"<a>" + b"<b/>" * 2000 + b"</a>", domain="XMLNSC")
    wide = compile_xpath(f"//*[{inner} = 1]", frozenset({"Body"}))
    with pytest.raises(penstock.MQError, match="looks at more than 1000000 fields") as raised:
        wide.value(message.body, {"Body": message.body})  # type: ignore[arg-type, dict-item]
    assert raised.value.reason == 8308


def test_typed_values_are_numbers_and_texts() -> None:
    message = parse(b'{"n": 5, "s": "x", "t": true, "l": [1, 2, 3]}', domain="JSON")
    root = message.reference()

    def value(expression: str) -> Any:
        return compile_xpath(expression, frozenset()).value(root, {})

    assert value("JSON/Data/n + 1") == 6.0
    assert value("sum(JSON/Data/l/*)") == 6.0
    assert value("JSON/Data/t = 'true'") is True
    assert value("concat(JSON/Data/s, JSON/Data/n)") == "x5"


def test_node_sets_are_compared_by_any_member_from_both_sides() -> None:
    root = parse(b"<a><n>5</n><n> 7 </n><n>x</n><m>7</m><e/></a>", "XMLNSC").reference()

    def holds(expression: str) -> bool:
        return compile_xpath(expression, frozenset()).holds(root, {})

    for expression in (
        "/XMLNSC/a/n > 6",
        "6 < /XMLNSC/a/n",
        "/XMLNSC/a/n = 7",
        "/XMLNSC/a/n != 7",
        "7 >= /XMLNSC/a/n",
    ):
        assert holds(expression), expression
    for expression in ("/XMLNSC/a/n > 7", "8 <= /XMLNSC/a/n", "/XMLNSC/a/e = 0", "/XMLNSC/a/nothing != 1"):
        assert not holds(expression), expression
    for expression in ("/XMLNSC/a/n = 'x'", "/XMLNSC/a/n != /XMLNSC/a/m", "/XMLNSC/a/n = true()"):
        assert holds(expression), expression
