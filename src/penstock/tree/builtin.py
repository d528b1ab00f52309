"""The built-in domains, added to the register. Importing `penstock.tree` does this.

The modelled ones, MRM and DFDL, register themselves when their module is imported.
"""

from __future__ import annotations

from penstock.tree.blob import BLOB
from penstock.tree.core._domains import register
from penstock.tree.headers.fixed import fixed_headers
from penstock.tree.headers.http import HTTP_FOLDERS, HTTPHeader
from penstock.tree.headers.mqmd import MQMD
from penstock.tree.headers.mqrfh import MQRFH
from penstock.tree.headers.mqrfh2 import MQRFH2
from penstock.tree.headers.mqxqh import MQXQH
from penstock.tree.headers.node_folders import EMAIL_FOLDER, EMAIL_INPUT_FOLDER, JMS_FOLDER, NodeFolder
from penstock.tree.json._domain import JSON
from penstock.tree.mime import MIME
from penstock.tree.model import domain as _modelled
from penstock.tree.properties import Properties
from penstock.tree.swift._domain import SWIFT
from penstock.tree.xml._domains import XML, XMLNS, XMLNSC
from penstock.tree.xml.soap import SOAP

PROPERTIES, DESCRIPTOR = Properties(), MQMD()
HEADERS = (*fixed_headers(), MQRFH(), MQXQH(), MQRFH2())

for _domain in (XMLNSC(), XMLNS(), XML(), JSON(), SWIFT(), BLOB(), MIME(), SOAP()):
    register(_domain)
for _header in (
    PROPERTIES,
    DESCRIPTOR,
    *HEADERS,
    MQRFH2("MQRFH2C"),
    *map(HTTPHeader, HTTP_FOLDERS),
    *map(NodeFolder, (JMS_FOLDER, EMAIL_FOLDER, EMAIL_INPUT_FOLDER)),
):
    register(_header)
del _modelled
