"""The reply to a client when a flow fails or is late: a fault in the input node's format."""

from __future__ import annotations

import html
import json

from penstock.flow.http.exchange import HttpResponse

SOAP11, SOAP12, HTML, JSON = "SOAP1.1", "SOAP1.2", "HTML", "JSON"
FORMATS = (SOAP11, SOAP12, HTML, JSON)
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
_TYPES = {SOAP11: "text/xml", SOAP12: "application/soap+xml", HTML: "text/html", JSON: "application/json"}


def fault(form: str, text: str, status: int = 500) -> HttpResponse:
    """Return the response for a failure; the text is escaped."""
    if form == JSON:
        body = json.dumps({"error": {"status": status, "message": text}})
    else:
        body = {SOAP11: _SOAP11, SOAP12: _SOAP12, HTML: _HTML}[form].format(html.escape(text))
    return HttpResponse(status, [("Content-Type", f"{_TYPES[form]}; charset=utf-8")], body.encode())
