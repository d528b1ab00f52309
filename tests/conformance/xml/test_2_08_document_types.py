"""XML 1.0, 2.8 and 4: document types and the entities that they define are refused unless asked for."""

from __future__ import annotations

import pytest

from penstock import MQError, tree

REFUSED = [
    "<!DOCTYPE a><a/>",
    "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
    "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
    "<!DOCTYPE a [<!ENTITY x SYSTEM 'http://example/x'>]><a>&x;</a>",
    "<!DOCTYPE a [<!ENTITY x 'x'><!ENTITY y '&x;&x;'>]><a>&y;</a>",
]


@pytest.mark.parametrize("document", REFUSED)
@pytest.mark.parametrize("domain", ["XMLNSC", "XMLNS", "XML", "SOAP"])
def test_a_document_type_is_refused(document: str, domain: str) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(document.encode(), domain=domain, timing="immediate")
    assert caught.value.reason == 8102


@pytest.mark.parametrize("document", ["<a>&x;</a>", "<a b='&x;'/>", "<a>&nbsp;</a>"])
def test_an_entity_that_nobody_defines_is_refused(document: str) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(document.encode(), domain="XMLNSC", timing="immediate")
    assert caught.value.reason == 8103
