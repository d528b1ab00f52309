"""Elements that are written as they came: wherever they are moved to, they mean what the tree says."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import tree
from penstock.tree.model import Field, Model, Type, Value, Xml, XmlFormat

URIS = st.sampled_from(["u", "v", "w"])
PREFIXES = st.sampled_from(["", "p:", "q:"])
NAMES = st.sampled_from(["a", "b", "c"])
ATTRIBUTES = st.sampled_from(
    ["", ' x="1"', " x='1'", ' x = "1"', ' p:x="1"', ' x="1" y="&lt;2"', '  x="1"', ' x="1" ']
)
DECLARED = st.sampled_from(["", "", "", ' xmlns="w"', ' xmlns:p="v"', ' xmlns:q="u"', ' xmlns=""'])
PLAIN_ATTRIBUTE = ' x="1"'
PICK = st.integers(0, 50)
TEXTS = st.sampled_from(["", "t", "&amp;", "x]", "<![CDATA[c]]>"])
INNER = Type(Field("One", min=0, max=None, X=Xml(name="a")), Field("Two", min=0, X=Xml("attribute", "x")))
NOTED = Type(Value(), Field("Three", INNER, min=0, max=None, X=Xml(name="b")))
MODEL = Model(
    "M",
    {
        "r": Type(
            Field("Inner", INNER, min=0, max=None, X=Xml(name="a")),
            Field("Noted", NOTED, min=0, max=None, X=Xml(name="b", namespace="u")),
        )
    },
    {"X": XmlFormat()},
)


@st.composite
def elements(draw: Any, depth: int = 3) -> str:
    """Return an element whose prefixes are bound by the document around it."""
    name = draw(PREFIXES) + draw(NAMES)
    inner = [draw(TEXTS)]
    if depth:
        inner = draw(st.lists(elements(depth - 1), max_size=3)) or inner
    content = "".join(inner)
    opening = name + draw(DECLARED) + draw(ATTRIBUTES)
    if not content and draw(st.booleans()):
        return f"<{opening}/>"
    return f"<{opening}>{content}</{name}{draw(st.sampled_from(['', '', ' ']))}>"


@st.composite
def plain_elements(draw: Any, depth: int = 2) -> str:
    """Return an element that the writer would mostly write in the same way."""
    name = draw(st.sampled_from(["a", "b", "p:b", "c"]))
    inner = [draw(TEXTS)]
    if depth and draw(st.booleans()):
        inner = draw(st.lists(plain_elements(depth - 1), min_size=1, max_size=2))
    return f"<{name}{draw(st.sampled_from(['', '', PLAIN_ATTRIBUTE]))}>{''.join(inner)}</{name}>"


@st.composite
def documents(draw: Any) -> bytes:
    """Return a document that binds the prefixes p and q."""
    bindings = f'xmlns:p="{draw(URIS)}" xmlns:q="{draw(URIS)}"' + draw(st.sampled_from(["", ' xmlns="w"']))
    return f"<r {bindings}>{''.join(draw(st.lists(elements(), max_size=3)))}</r>".encode()


def meant(element: ET.Element) -> tuple[Any, ...]:
    text = (element.text or "") if len(element) == 0 else ""
    return element.tag, sorted(element.attrib.items()), text, [meant(child) for child in element]


def held(field: tree.Reference) -> tuple[Any, ...]:
    """Return what a tree says about an element."""
    attributes, children = [], []
    for child in field:
        if not child.is_attribute:
            children.append(held(child))
        elif child.namespace != "http://www.w3.org/2000/xmlns/":
            attributes.append((called(child), child.value))
    return called(field), sorted(attributes), ("" if children else field.value or ""), children


def called(field: tree.Reference) -> str:
    return f"{{{field.namespace}}}{field.name}" if field.namespace else field.name


def below(field: tree.Reference) -> list[tree.Reference]:
    found = [child for child in field if not child.is_attribute]
    return found + [inner for child in found for inner in below(child)]


@settings(max_examples=400, deadline=None)
@given(
    documents(), documents(), st.integers(0, 50), st.integers(0, 50), st.sampled_from(["move", "copy", "set"])
)
def test_moved_and_changed_elements_keep_their_meaning(
    first: bytes, second: bytes, source: int, target: int, how: str
) -> None:
    giver, taker = tree.parse(first, domain="XMLNSC"), tree.parse(second, domain="XMLNSC")
    root = tree.Path("XMLNSC", "*")
    given_fields, places = (
        below(giver.reference(root)),
        [taker.reference(root), *below(taker.reference(root))],
    )
    place = places[target % len(places)]
    if how == "set" or not given_fields:
        place.add_last_child("z", "new")
    elif how == "copy":
        field = given_fields[source % len(given_fields)]
        place.add_last_child(field.name, namespace=field.namespace).assign(field)
    else:
        field = given_fields[source % len(given_fields)]
        field.detach()
        place.attach_last_child(field)
        assert meant(ET.fromstring(giver.serialise())) == held(giver.reference(root))
    assert meant(ET.fromstring(taker.serialise())) == held(taker.reference(root))


@settings(max_examples=300, deadline=None)
@given(st.lists(plain_elements() | elements(), min_size=1, max_size=3), URIS, URIS)
def test_fields_of_a_model_are_written_in_xml_by_the_names_and_values_of_the_tree(
    inner: list[str], first: str, second: str
) -> None:
    document = f'<r xmlns:p="{first}" xmlns:q="{second}">{"".join(inner)}</r>'.encode()
    message = tree.parse(document, domain="MRM", model=MODEL)
    root = message.create(tree.Path("XMLNSC", "root"))
    for field in [*message.reference(tree.Path("MRM"))]:
        root.attach_last_child(field)
    message.delete(tree.Path("MRM"))
    assert meant(ET.fromstring(message.serialise())) == held(root)
