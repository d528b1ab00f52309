"""The properties that the Kafka nodes share."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

SECURITIES = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


class KafkaNode(Node):
    """The base class of the Kafka nodes; `options` are further settings of the client library."""

    kind = Kind.EFFECT

    topic: str
    _: KW_ONLY
    servers: str = ""
    client_id: str = ""
    security: str = "PLAINTEXT"
    options: dict[str, Any] = field(default_factory=dict)
    timeout: float = 60.0

    def check(self) -> Iterable[str]:
        if not self.servers:
            yield "servers is host:port, or several with commas between them"
        yield from self.wrong_choices(security=SECURITIES)
        if self.timeout <= 0:
            yield "timeout has to be more than 0 seconds"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the client."""
        found = {"bootstrap.servers": self.servers, "security.protocol": self.security.lower()}
        if self.client_id:
            found["client.id"] = self.client_id
        return {**found, **self.options}
