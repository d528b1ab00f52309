"""All rows by the type name in flow files, and why other types cannot be run."""

from __future__ import annotations

from penstock.flow.importer import (
    rows_calls,
    rows_events,
    rows_jms,
    rows_kafka,
    rows_mq,
    rows_routing,
    rows_streams,
    rows_transforming,
    rows_transports,
)

ROWS = {
    **rows_mq.ROWS,
    **rows_jms.ROWS,
    **rows_events.ROWS,
    **rows_calls.ROWS,
    **rows_streams.ROWS,
    **rows_kafka.ROWS,
    **rows_routing.ROWS,
    **rows_transforming.ROWS,
    **rows_transports.ROWS,
}

# Why a type is not available, by the beginning of its name; the first match counts.
REASONS = {
    "ComIbmDotNet": ".NET does not run here; write a Node of that name in the project's nodes/*.py",
    "ComIbmIMS": "there is no connection to IMS here",
    "ComIbmCICS": "there is no connection to CICS here",
    "ComIbmSAP": "there is no connection to SAP here",
    "ComIbmFTE": "there is no managed file transfer here",
    "ComIbmCD": "there is no Connect:Direct here",
    "com_ibm_connector_": "there are no connector nodes for MQTT, Salesforce and LoopBack here",
    "ComIbmGroup": "there are no group nodes yet",
    "ComIbm": "there is no such node here yet",
}


def reason(type_name: str) -> str:
    """Return why there is no node for a type."""
    for beginning, why in REASONS.items():
        if type_name.startswith(beginning):
            return why
    return "a user-defined node: write a Node of that name in the project's nodes/*.py"
