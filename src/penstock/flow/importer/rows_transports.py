"""Rows of nodes for HTTP, SOAP and files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, flag, flags, numbers, one_of, seconds, texts
from penstock.flow.mailboxes import mailbox_at

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

WSDL = frozenset(
    {
        *("wsdlFileName", "selectedPortType", "selectedBinding", "selectedPort", "selectedOperation"),
        *("targetNamespace", "useHTTPTransport", "wsdlOperationMode", "messageSetProperty", "sslProtocol"),
        *("parserXmlnscBuildTreeUsingXMLSchema", "allowQueryWSDL"),
    }
)
RECORDS = texts(recordDetection="records", recordDefinition="records") | numbers(recordLength="length")


def delimiter(node: NodeDescription) -> dict[str, Any]:
    """Return the delimiter of records: the end of a line, or bytes in hexadecimal."""
    found: dict[str, Any] = {}
    if node.properties.get("recordDelimiter") == "customDelimiter":
        found["delimiter"] = node.properties.get("customDelimiter", "")
    if node.properties.get("delimiterType") == "infix":
        found["infix"] = True
    return found


def request_locations(node: NodeDescription) -> dict[str, Any]:
    """Return the locations in the tree, which count only if the whole message is not sent or replaced."""
    given = node.properties
    found: dict[str, Any] = {}
    if not flag(given.get("useWholeInputMsgAsRequest", "true")):
        found["request_location"] = given.get("requestMsgLocationInTree", "InputRoot")
    if not flag(given.get("replaceInputMsgWithWSResponse", "true")):
        found["response_location"] = given.get("responseMsgLocationInTree", "OutputRoot")
    return found


def _policy_of_mail(node: NodeDescription) -> str | None:
    server = node.properties.get("smtpServer", "")
    if server.startswith("{"):
        return f"its server is in policy {server}: override smtpServer with host:port"
    return None


def _account(node: NodeDescription) -> dict[str, str]:
    """Return where user and password are: environment variables named after the security identity."""
    identity = re.sub(r"\W", "_", node.properties.get("securityIdentity", "") or "MAIL").upper()
    return {"user": f"env:{identity}_USER", "password_from": f"env:{identity}_PASSWORD"}


def _server_of_mails(node: NodeDescription) -> str | None:
    server = node.properties.get("emailServer", "")
    if server and mailbox_at(server) is None:
        return f"its server is in policy {server}: override emailServer with pop3://host:port"
    return None


RETRIES = frozenset({"retryMechanism", "shortRetryInterval", "longRetryInterval", "emailConnectionTimeout"})
HTTP_FOLDERS = {
    "input": "httpInputHeader",
    "response": "httpResponseHeader",
    "request": "httpRequestHeader",
    "reply": "httpReplyHeader",
}


def _http_headers(node: NodeDescription) -> dict[str, Any]:
    """Return the action for each header folder, and the fields of those that are added or changed."""
    found: dict[str, Any] = {}
    fields: dict[str, dict[str, str]] = {}
    for ours, name in HTTP_FOLDERS.items():
        word = node.properties.get(name, "").lower()
        action = next((each for each in ("add", "modify", "delete") if word.startswith(each)), "")
        if action:
            found[ours] = action
        table = node.tables.get(f"nameValue4{name.removeprefix('http')}", [])
        if action in ("add", "modify") and table:
            fields[ours] = {row.get("name", ""): row.get("value", "") for row in table}
    return {**found, **({"fields": fields} if fields else {})}


def _secure(node: NodeDescription) -> dict[str, Any]:
    """Return the port of HTTPS inputs, which is another than that of HTTP."""
    return {"port": HTTPS_PORT} if flag(node.properties.get("useHTTPS", "")) else {}


HTTPS_PORT = 7843
DELIMITERS = frozenset({"recordDelimiter", "customDelimiter", "delimiterType"})

ROWS = {
    "ComIbmWSInput": Row(
        "HTTPInput",
        MESSAGE
        | texts(URLSpecifier="path", faultFormat="fault_format")
        | flags(useHTTPS="https", parseQueryString="parse_query_string")
        | {
            "timeoutForClient": ("client_wait", seconds),
            "validateMaster": ("validate", one_of(inherit="none")),
        },
        defaults={"fault_format": "SOAP1.1"},
        tables=_secure,
        silent=CONNECTION | {"setDestinationList"},
    ),
    "ComIbmWSReply": Row(
        "HTTPReply",
        flags(
            ignoreTransportFailures="ignore_transport_failures",
            generateDefaultHttpHeaders="default_headers",
        ),
    ),
    "ComIbmWSRequest": Row(
        "HTTPRequest",
        MESSAGE
        | texts(URLSpecifier="url", httpMethod="method")
        | flags(followRedirection="follow_redirects", generateDefaultHttpHeaders="default_headers")
        | {"timeoutForServer": ("timeout", seconds)},
        tables=request_locations,
        silent=CONNECTION
        | {
            *("httpVersion", "protocol", "allowedCiphers", "useWholeInputMsgAsRequest"),
            *("requestMsgLocationInTree", "replaceInputMsgWithWSResponse", "responseMsgLocationInTree"),
        },
    ),
    "ComIbmEmailInput": Row(
        "EmailInput",
        texts(emailServer="server")
        | {"waitInterval": ("polling", seconds), "retryThreshold": ("retries", int)},
        tables=_account,
        silent=CONNECTION | RETRIES,
        refuse=_server_of_mails,
    ),
    "ComIbmEmailOutput": Row(
        "EmailOutput",
        texts(
            smtpServer="server",
            toAddresses="to",
            ccAddresses="cc",
            bccAddresses="bcc",
            replyToAddresses="reply_to",
            fromAddress="sender",
            subject="subject",
            messageText="text",
            bodyContentType="content_type",
        ),
        silent=CONNECTION | {"multipartContentType", "validateMaster"},
        refuse=_policy_of_mail,
    ),
    "ComIbmHTTPHeader": Row("HTTPHeader", tables=_http_headers, silent=frozenset(HTTP_FOLDERS.values())),
    "ComIbmFileInput": Row(
        "FileInput",
        MESSAGE
        | RECORDS
        | texts(inputDirectory="directory", filenamePattern="pattern")
        | {
            "processedFileAction": (
                "processed",
                one_of(moveToArchive="archive", moveToArchiveWithTimestamp="timestampAndArchive"),
            ),
            "waitInterval": ("polling", seconds),
        },
        tables=delimiter,
        silent=CONNECTION | DELIMITERS | {"replaceDuplicateArchives", "transactionMode"},
    ),
    "ComIbmFileOutput": Row(
        "FileOutput",
        RECORDS
        | texts(
            outputDirectory="directory",
            outputFilename="filename",
            validateMaster="validate",
            requestDirectoryLocation="directory_location",
            requestNameLocation="name_location",
        )
        | {
            "outputMode": (
                "mode",
                one_of(archiveAndReplace="archive", archiveAndReplaceWithTimestamp="archive", create="fail"),
            )
        },
        defaults={"outside": True},
        tables=delimiter,
        silent=CONNECTION | DELIMITERS | {"writeMode", "replaceDuplicateArchives", "failedFileAction"},
        inputs={"EOD": "finish"},
    ),
    "ComIbmFileRead": Row(
        "FileRead",
        MESSAGE | RECORDS | texts(inputDirectory="directory", filenamePattern="filename"),
        tables=delimiter,
        silent=CONNECTION | DELIMITERS,
    ),
    "ComIbmSOAPInput": Row(
        "SOAPInput",
        texts(urlSelector="path", wsdlFileName="wsdl", labelPrefix="label_prefix", validateMaster="validate")
        | flags(extractSOAPBody="extract_body", useHTTPS="https")
        | {"maxClientWaitTime": ("client_wait", seconds)},
        tables=_secure,
        silent=CONNECTION | WSDL | {"setDestinationList"},
    ),
    "ComIbmSOAPReply": Row("SOAPReply", texts(validateMaster="validate"), silent=CONNECTION | WSDL),
    "ComIbmSOAPRequest": Row(
        "SOAPRequest",
        texts(webServiceURL="url", soapAction="action", validateMaster="validate")
        | {"requestTimeout": ("timeout", seconds)},
        silent=CONNECTION | WSDL,
    ),
    "ComIbmSOAPExtract": Row(
        "SOAPExtract",
        texts(labelPrefix="label_prefix")
        | flags(routeToOperation="route_to_operation", removeEnvelope="remove_envelope"),
    ),
    "ComIbmSOAPEnvelope": Row("SOAPEnvelope", flags(createEnvelope="create")),
}
