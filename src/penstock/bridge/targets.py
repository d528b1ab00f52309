"""Where a program is: `module:function`, an HTTP service, `kafka://host:port/topic`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from penstock.bridge.program import Program
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

HTTP_SECONDS = 60.0


def program_at(target: str, folder: Path | None = None) -> Program:
    """Return the program of a target; 8345 if there is none. Modules are found in a folder, too."""
    if target.startswith(("http://", "https://")):
        return Program(_http(target))
    if target.startswith("kafka://"):
        return Program(_kafka(target))
    name, colon, attribute = target.partition(":")
    if not colon or not attribute:
        raise error(mq.PSRC_BRIDGE_PROGRAM, f"{target!r} is not module:function, http://... or kafka://...")
    place = str((folder or Path()).resolve())
    if place not in sys.path:
        sys.path.insert(0, place)
    try:
        found: Any = import_module(name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as raised:
        raise error(mq.PSRC_BRIDGE_PROGRAM, f"{target}: {raised}") from raised
    if not callable(found):
        raise error(mq.PSRC_BRIDGE_PROGRAM, f"{target} is no function")
    return Program(found)


def _http(url: str) -> Callable[[bytes], bytes]:
    from penstock.flow.http.client import Call, call

    def post(body: bytes) -> bytes:
        response = call(Call("POST", url, [("Content-Type", "application/octet-stream")], body), HTTP_SECONDS)
        if response.status >= 400:
            raise error(mq.PSRC_BRIDGE_PROGRAM, f"{url} answered {response.status}")
        return response.body

    return post


def _kafka(url: str) -> Callable[[bytes], dict[str, Any]]:
    """Return a program that sends requests to a topic; its reply says where each is."""
    from penstock.flow.nodes.kafka_producer import KafkaProducer

    parts = urlsplit(url)
    node = KafkaProducer(parts.path.strip("/"), servers=parts.netloc)
    wrong = [*node.check(), *([] if node.topic else ["there is no topic"])]
    if wrong:
        raise error(mq.PSRC_BRIDGE_PROGRAM, f"{url}: {'; '.join(wrong)}")

    def send(body: bytes) -> dict[str, Any]:
        sent = node.send(node.topic, body, None)
        return {"topic": node.topic, "partition": sent.partition(), "offset": sent.offset()}

    return send
