"""The reply to a client when a flow fails or is late: a fault in the input node's format."""

from __future__ import annotations

import html
import json

from penstock.flow.http.exchange import HttpResponse

SOAP11, SOAP12, HTML, JSON, TEXT = "SOAP1.1", "SOAP1.2", "HTML", "JSON", "text"
AUTO = "auto"  # JSON or text, by what the client accepts
FORMATS = (AUTO, SOAP11, SOAP12, HTML, JSON, TEXT)
_SOAP11 = (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><soapenv:Fault>'
    "<faultcode>soapenv:Server</faultcode><faultstring>{}</faultstring>"
    "</soapenv:Fault></soapenv:Body></soapenv:Envelope>"
)
_SOAP12 = (
    '<soapenv:Envelope xmlns:soapenv="http://www.w3.org/2003/05/soap-envelope"><soapenv:Body><soapenv:Fault>'
    "<soapenv:Code><soapenv:Value>soapenv:Receiver</soapenv:Value></soapenv:Code>"
    '<soapenv:Reason><soapenv:Text xml:lang="en">{}</soapenv:Text></soapenv:Reason>'
    "</soapenv:Fault></soapenv:Body></soapenv:Envelope>"
)
_HTML = "<!DOCTYPE html><html><head><title>Error</title></head><body><p>{}</p></body></html>"
_TYPES = {
    SOAP11: "text/xml",
    SOAP12: "application/soap+xml",
    HTML: "text/html",
    JSON: "application/json",
    TEXT: "text/plain",
}


def fault(form: str, text: str, status: int = 500, **facts: object) -> HttpResponse:
    """Return the response for a failure. The text is escaped; JSON has further facts beside it."""
    if form == JSON:
        body = json.dumps({"error": {"status": status, "message": text, **facts}})
    elif form == TEXT:
        body = f"{text}\n"
    else:
        body = {SOAP11: _SOAP11, SOAP12: _SOAP12, HTML: _HTML}[form].format(html.escape(text))
    return HttpResponse(status, [("Content-Type", f"{_TYPES[form]}; charset=utf-8")], body.encode())


def accepted_form(accept: str, content_type: str) -> str:
    """Return the format of a fault for a client: JSON if it accepts or sent JSON, else text.

    >>> accepted_form("application/json, */*;q=0.1", ""), accepted_form("text/plain", "application/json")
    ('JSON', 'text')
    >>> accepted_form("*/*", "application/vnd.order+json; charset=utf-8"), accepted_form("", "text/xml")
    ('JSON', 'text')
    """
    accept = accept.lower()
    if "json" in accept:
        return JSON
    return JSON if "json" in content_type.lower() and accept in ("", "*/*") else TEXT
