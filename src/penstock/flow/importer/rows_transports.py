"""Rows of nodes that talk HTTP and SOAP, and of those that read and write files."""

from __future__ import annotations

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, flags, numbers, seconds, texts

ROWS = {
    "ComIbmWSInput": Row(
        "HTTPInput",
        MESSAGE
        | texts(URLSpecifier="path", faultFormat="fault_format")
        | flags(useHTTPS="tls", parseQueryString="parse_query", setDestinationList="set_destination_list")
        | {"timeoutForClient": ("timeout", seconds)},
        silent=CONNECTION,
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
        | texts(
            URLSpecifier="url",
            httpMethod="method",
            requestMsgLocationInTree="request_location",
            responseMsgLocationInTree="response_location",
        )
        | flags(
            useWholeInputMsgAsRequest="whole_message",
            replaceInputMsgWithWSResponse="replace_message",
            followRedirection="follow_redirects",
        )
        | {"timeoutForServer": ("timeout", seconds)},
        silent=CONNECTION | {"httpVersion", "protocol", "allowedCiphers"},
    ),
    "ComIbmFileInput": Row(
        "FileInput",
        MESSAGE
        | texts(
            inputDirectory="directory",
            filenamePattern="pattern",
            recordDetection="records",
            recordDelimiter="delimiter",
            customDelimiter="custom_delimiter",
            delimiterType="delimiter_type",
            processedFileAction="processed",
            failedFileAction="failed",
        )
        | numbers(recordLength="record_length"),
        silent=CONNECTION | {"replaceDuplicateArchives", "waitInterval", "transactionMode"},
    ),
    "ComIbmFileOutput": Row(
        "FileOutput",
        texts(
            outputDirectory="directory",
            outputFilename="file",
            outputMode="mode",
            recordDefinition="records",
            requestDirectoryLocation="directory_location",
            requestNameLocation="name_location",
        )
        | numbers(recordLength="record_length"),
        silent=CONNECTION | {"writeMode", "replaceDuplicateArchives", "failedFileAction"},
        terminals={"EOD": "end"},
    ),
    "ComIbmFileRead": Row(
        "FileRead",
        MESSAGE | texts(inputDirectory="directory", filenamePattern="file"),
        silent=CONNECTION,
    ),
    "ComIbmSOAPInput": Row("SOAPInput", MESSAGE | texts(urlSelector="path"), silent=CONNECTION),
    "ComIbmSOAPReply": Row("SOAPReply"),
    "ComIbmSOAPRequest": Row("SOAPRequest", MESSAGE | texts(webServiceURL="url"), silent=CONNECTION),
    "ComIbmSOAPExtract": Row("SOAPExtract", texts(labelPrefix="label_prefix")),
    "ComIbmSOAPEnvelope": Row("SOAPEnvelope"),
}
