from __future__ import annotations

import gc

from penstock import tree
from penstock.tree import Path


def parse(body: bytes, domain: str = "XMLNSC", **options) -> tree.Message:
    return tree.parse(body, domain=domain, **options)


def test_field_to_field_copy_keeps_slices_and_their_buffer():
    source = parse(b"<in><name>a &amp; b</name><list><i>1</i><i>2</i></list></in>")
    target = tree.Message()
    assert target.assign(Path("XMLNSC", "out", "n"), source, Path("XMLNSC", "in", "name"))
    assert target.assign(Path("XMLNSC", "out", "l"), source, Path("XMLNSC", "in", "list"))
    assert not target.assign(Path("XMLNSC", "out", "z"), source, Path("XMLNSC", "in", "nothing"))
    del source
    gc.collect()
    assert target.get(Path("XMLNSC", "out", "n")) == "a & b"
    assert target.serialise() == b"<out><n>a &amp; b</n><l><i>1</i><i>2</i></l></out>"


def test_slices_written_in_another_context_are_escaped_for_it():
    source = parse(b'<in a=\'x > "y" ]]>\'>p "q"\n</in>')
    target = tree.Message()
    target.assign(Path("XMLNSC", "out", "e"), source, Path("XMLNSC", "in", "@a"))
    target.assign(Path("XMLNSC", "out", "@t"), source, Path("XMLNSC", "in"))
    again = parse(target.serialise())
    assert again.get(Path("XMLNSC", "out", "e")) == 'x > "y" ]]>'
    assert again.get(Path("XMLNSC", "out", "@t")) == 'p "q"\n'


def test_untouched_body_is_taken_over_unparsed():
    body = b"<a><b/></a>"
    source = parse(body)
    target = tree.Message()
    target.set(Path("Properties", "Priority"), 1)
    target.assign(Path("XMLNSC"), source, Path("XMLNSC"))
    assert not source.is_parsed
    assert not target.is_parsed
    assert target.serialise() == body
    assert target.exists(Path("XMLNSC", "a", "b"))


def test_copy_between_unlike_domains_takes_names_and_values():
    source = parse(
        b'<?xml version="1.0"?><r xmlns="u" id="7">t<!-- c --><n>1</n><c><![CDATA[x<y]]></c></r>',
        mixed=True,
        comments=True,
    )
    target = tree.Message()
    target.assign(Path("JSON", "Data"), source, Path("XMLNSC"))
    assert target.serialise() == b'{"r":{"id":"7","n":"1","c":"x<y"}}'


def test_copy_from_verbose_to_compact():
    source = parse(b'<r id="7"><n>1</n> <n>2</n></r>', "XMLNS")
    target = tree.Message()
    target.assign(Path("XMLNSC", "r"), source, Path("XMLNS", "r", ("n", 2)))
    assert target.serialise() == b"<r>2</r>"
    target.assign(Path("XMLNSC", "r"), source, Path("XMLNS", "r"))
    assert target.get(Path("XMLNSC", "r", ("n", 2))) == "2"


def test_json_array_through_another_domain_becomes_an_object():
    source = parse(b'{"a":[1,{"b":"x/y"}]}', "JSON")
    environment = tree.Message()
    environment.assign(Path("Variables", "v"), source, Path("JSON", "Data", "a"))
    target = tree.Message()
    target.assign(Path("JSON", "Data", "a"), environment, Path("Variables", "v"))
    assert target.serialise() == b'{"a":{"Item":1,"Item":{"b":"x/y"}}}'


def test_copy_into_itself_and_out_of_itself():
    message = parse(b"<a><b><c>1</c></b></a>")
    message.assign(Path("XMLNSC", "a", "b", "d"), message, Path("XMLNSC", "a"))
    assert message.serialise() == b"<a><b><c>1</c><d><b><c>1</c><d/></b></d></b></a>"
    message.assign(Path("XMLNSC", "a"), message, Path("XMLNSC", "a", "b"))
    assert message.serialise() == b"<a><c>1</c><d><b><c>1</c><d/></b></d></a>"


def test_a_field_copied_into_a_part_of_itself_is_written():
    for document, path, expected in (
        (b"<a><b>1</b></a>", ("b",), b"<a><b><b>1</b></b></a>"),
        (b"<a><b/><c>2</c></a>", ("b",), b"<a><b><b/><c>2</c></b><c>2</c></a>"),
        (b"<a><b><d>3</d></b></a>", ("b", "d"), b"<a><b><d><b><d>3</d></b></d></b></a>"),
    ):
        message = tree.parse(document, domain="XMLNSC")
        message.reference(tree.Path("XMLNSC", "a", *path)).assign(message.reference(tree.Path("XMLNSC", "a")))
        assert message.serialise() == expected


def test_assign_with_indexes():
    source = parse(b"<a><i>1</i><i>2</i><i>3</i></a>")
    target = tree.Message()
    for n in (1, 2, 3):
        target.assign(Path("XMLNSC", "o", ("k", ...)), source, Path("XMLNSC", "a", ("i", ...)), n, 4 - n)
    assert target.serialise() == b"<o><k>3</k><k>2</k><k>1</k></o>"


def test_attach_moves_between_trees():
    source, target = parse(b"<a><b>1</b><c>2</c></a>"), parse(b"<x><y/></x>")
    moved = source.reference(Path("XMLNSC", "a", "b"))
    moved.detach()
    target.reference(Path("XMLNSC", "x", "y")).attach_previous(moved)
    assert moved.value == "1"
    assert moved.to_next()
    assert moved.name == "y"
    assert source.serialise() == b"<a><c>2</c></a>"
    assert target.serialise() == b"<x><b>1</b><y/></x>"
