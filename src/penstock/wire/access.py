"""What the server asks about users: the bridge to channel authentication, passwords and authority.

The rules are `admin`'s. Called in workers; takes the engine's lock for what reads objects, never while a
password is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.admin.channel_authentication.evaluator import ChannelAuthentication, Decision
from penstock.wire.admission import user_name

if TYPE_CHECKING:
    from penstock.host.host import Host
    from penstock.qmgr.connections import Connection
    from penstock.wire.admission import Identity
    from penstock.wire.peer import Peer


class Access:
    """Who may come in to one queue manager."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.owner = user_name(host.folder.path.stat().st_uid)
        self.rules = ChannelAuthentication(host.engine.objects, self.is_administrator)

    @property
    def wants_host_names(self) -> bool:
        """Whether a rule is about host names."""
        return self.rules.wants_host_names

    def is_administrator(self, user: str) -> bool:
        """Say whether a user may do everything."""
        return user in (self.owner, "root")

    def address_refused(self, address: str) -> str | None:
        """Return why an address is not even listened to."""
        decision = self.rules.address_refused(address)
        return None if decision is None else decision.text

    def local(self, user: str, number: int, asserted: str, password: Any) -> Decision:
        """Decide about a process of this machine."""
        return Decision(True, user, "local")

    def client(self, peer: Peer, channel: str, host: str, user: str, password: Any) -> Decision:
        """Decide about a client of the network."""
        with self.host.gate:
            return self.rules.decide(channel, peer.address, host=host, user=user)

    def connected(self, connection: Connection, identity: Identity, peer: Peer) -> None:
        """Note on an engine's connection who is behind it."""
