"""What the scanner says about a document, and what expat says. Cases are written from the specification."""

from __future__ import annotations

from xml.parsers import expat

from penstock import MQError, tree


def accepted(document: bytes | str, domain: str = "XMLNSC") -> bool:
    """Tell whether the scanner takes a document."""
    body = document.encode() if isinstance(document, str) else document
    try:
        tree.parse(body, domain=domain, timing="immediate")
        ours = True
    except MQError as problem:
        assert problem.reason in (8101, 8102, 8103, 8104, 2119), problem
        ours = False
    return ours


def expat_accepts(document: bytes | str) -> bool:
    """Tell whether expat takes a document, with namespaces."""
    body = document.encode() if isinstance(document, str) else document
    try:
        expat.ParserCreate(None, " ").Parse(body, True)
    except (expat.ExpatError, LookupError, ValueError):
        return False
    return True


def value(document: bytes | str, *steps: str) -> object:
    """Return the value of a field of a document."""
    body = document.encode() if isinstance(document, str) else document
    return tree.parse(body, domain="XMLNSC").get(tree.Path("XMLNSC", *steps))
