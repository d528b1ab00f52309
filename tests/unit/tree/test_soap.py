"""SOAP: envelopes of both versions as Context, Header and Body; faults."""

from __future__ import annotations

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree import MISSING, Message, Path
from penstock.tree.xml.soap import NAMESPACES
from penstock.tree.xml.soap_fault import Fault, fault_of, set_fault

PAY = Path("SOAP", "Body", "{urn:bank}Pay")


def envelope(version: str = "1.1", body: str = '<p:Pay id="1"><p:Amount>5</p:Amount></p:Pay>') -> bytes:
    return (
        f'<e:Envelope xmlns:e="{NAMESPACES[version]}" xmlns:p="urn:bank"><e:Header><p:Id>7</p:Id></e:Header>'
        f"<e:Body>{body}</e:Body></e:Envelope>"
    ).encode()


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_an_envelope_is_context_header_and_body(version: str) -> None:
    message = tree.parse(envelope(version), domain="SOAP")
    assert message.get(Path("SOAP", "Context", "SOAP_Version")) == version
    assert message.get(Path("SOAP", "Context", "Namespace", "{*}p")) == "urn:bank"
    assert message.get(Path("SOAP", "Header", "{urn:bank}Id")) == "7"
    assert message.get(PAY / "{urn:bank}Amount") == "5"
    assert message.get(PAY / "@id") == "1"


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_a_change_is_written_into_the_same_envelope(version: str) -> None:
    message = tree.parse(envelope(version), domain="SOAP")
    assert message.serialise() == envelope(version)
    message.set(PAY / "{urn:bank}Amount", 6)
    assert message.serialise() == envelope(version).replace(b">5<", b">6<")


def test_a_message_from_nothing() -> None:
    message = Message()
    message.set(PAY / "{urn:bank}Amount", 5)
    assert message.serialise() == (
        b'<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
        b'<NS1:Pay xmlns:NS1="urn:bank"><NS1:Amount>5</NS1:Amount></NS1:Pay></soapenv:Body>'
        b"</soapenv:Envelope>"
    )


def test_copies_between_soap_and_xmlnsc_keep_everything() -> None:
    message = tree.parse(envelope(), domain="SOAP")
    plain = Message()
    assert plain.assign(Path("XMLNSC", "Pay"), message, PAY)
    assert plain.get(Path("XMLNSC", "Pay", "@id")) == "1"
    back = Message()
    back.assign(PAY, plain, Path("XMLNSC", "Pay"))
    assert b'id="1"' in back.serialise()


def test_ebcdic() -> None:
    message = tree.parse(envelope().decode().encode("cp500"), domain="SOAP", ccsid=500)
    message.set(PAY / "{urn:bank}Amount", 6)
    assert message.serialise().decode("cp500") == envelope().decode().replace(">5<", ">6<")


@pytest.mark.parametrize(
    "body",
    [
        b"<a/>",
        b'<Envelope xmlns="urn:other"><Body/></Envelope>',
        b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"/>',
        b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body/><e:Header/></e:Envelope>',
        b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body/><e:Body/></e:Envelope>',
        b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><x/><e:Body/></e:Envelope>',
    ],
)
def test_what_is_no_envelope(body: bytes) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(body, domain="SOAP", timing="immediate")
    assert caught.value.reason == 8142


def test_a_version_that_is_none() -> None:
    message = Message()
    message.set(Path("SOAP", "Context", "SOAP_Version"), "2.0")
    with pytest.raises(MQError) as caught:
        message.serialise()
    assert caught.value.reason == 8142


@pytest.mark.parametrize(("version", "code"), [("1.1", b":Client<"), ("1.2", b":Sender<")])
def test_faults(version: str, code: bytes) -> None:
    message = tree.parse(envelope(version), domain="SOAP")
    assert fault_of(message) is None
    fault = Fault("Sender", "the amount is missing", "urn:us", "line 5")
    set_fault(message, fault)
    written = message.serialise()
    assert code in written
    again = tree.parse(written, domain="SOAP")
    assert fault_of(again) == fault
    assert again.get(PAY) is MISSING


def test_a_fault_in_a_new_message() -> None:
    message = Message()
    set_fault(message, Fault("Receiver", "not now"))
    assert fault_of(tree.parse(message.serialise(), domain="SOAP")) == Fault("Receiver", "not now")
