"""`penstock.connect`: a queue manager in another process, by address or by name."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from penstock.client import connection_pool as sharing
from penstock.client.address import check_arguments, is_address, parse_address
from penstock.client.dialling import CONNECT_SECONDS, Target, is_known_here, movable
from penstock.client.queue_manager import ClientQueueManager
from penstock.client.recovery import TIMEOUT_SECONDS, Policy
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Never

    from penstock.client.address import Address
    from penstock.client.balancing import Balancing
    from penstock.client.channel_table import Choices
    from penstock.client.reconnecting import ReconnectingQueueManager
    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.errors import MQError

    def _satisfies(one: ClientQueueManager, two: ReconnectingQueueManager) -> list[BlockingQueueManager]:
        """Make the type checker prove that clients satisfy the protocols of `face`."""
        return [one, two]


CALL_SECONDS = 60.0
VARIABLES = ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB")  # that name client channels


def connect(
    where: str,
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    timeout: float = CALL_SECONDS,
    connect_timeout: float = CONNECT_SECONDS,
    share: bool = True,
    reconnect: bool | str | None = None,
    reconnect_timeout: float = TIMEOUT_SECONDS,
    on_event: Callable[[MQError], None] | None = None,
    home: str | os.PathLike[str] | None = None,
    commands_only: bool = False,
    act_as: str = "",
    ccdt: str | os.PathLike[str] | None = None,
    balancing: Balancing | None = None,
    connection_tag: str = "",
    **unknown: Never,
) -> ClientQueueManager:
    """Connect to a running queue manager.

    `where` is the name of one on this machine (2058 when there is none, 2059 when it does not run) or an
    address: `mq://host:1414/QM1?channel=APP.SVRCONN`, `mqs://` with TLS, several hosts separated by commas.
    With `ccdt`, a client channel definition table (JSON), it is QM1, or *GROUP for any queue manager that
    the channels of GROUP lead to. Names that nothing on this machine has use the channels of MQSERVER,
    MQCCDTURL, or MQCHLLIB and MQCHLTAB.

    `timeout` is how long an answer may take beyond what a call itself waits; then the connection counts as
    broken (2009). The queue manager reports a get that searches a long queue as under way: the time starts
    again then. With `reconnect` (True for any host of the address, "qmgr" for the same queue manager,
    None for the DEFRECON of a table) it is made again, for up to `reconnect_timeout` seconds; `on_event` is
    called (2544, 2545, 2548, 2556).

    In a uniform cluster `balancing` determines when the connection may be interrupted to be moved; None: as
    `mqclient.ini` specifies. Connections with the same `connection_tag` are one instance and move together.

    `commands_only` is for administration: MQSC, status, `peek`, backup and stop work, puts and gets do not
    (2035). By name it gets in while the queue manager stops, and the owner of its folder needs no password.

    `act_as` is for administrators of a queue manager of this machine who work for others: the connection
    is that user's, with that user's authority and no more; 2035 for everybody else.
    """
    check_arguments(connect, unknown)
    target = make_target(
        where, user, password, application, connect_timeout, home, commands_only, act_as, ccdt
    )
    reconnect = reconnection(reconnect, target)
    if reconnect is not False:
        from penstock.client.reconnecting import ReconnectingQueueManager

        policy = Policy(reconnect, reconnect_timeout, on_event)
        target = target if policy.same_qmgr else movable(target, balancing, connection_tag)
        return ReconnectingQueueManager(target, timeout, share, policy)
    link, conversation = sharing.enter(target, share)
    return ClientQueueManager(link, conversation, target, timeout)


def make_target(
    where: str,
    user: str | None,
    password: str | None,
    application: str | None,
    connect_timeout: float,
    home: str | os.PathLike[str] | None,
    commands_only: bool = False,
    act_as: str = "",
    ccdt: str | os.PathLike[str] | None = None,
) -> Target:
    """Return where to connect to, from what the caller gave."""
    address: Address | None = parse_address(where) if is_address(where) else None
    if address is not None and ccdt is not None:
        raise error(mq.MQRC_OPTIONS_ERROR, f"give a name with ccdt, not an address: {where}")
    return Target(
        address,
        where if address is None else address.qmgr,
        os.fspath(home) if home is not None else "",
        user or "",
        password,
        application or "",
        connect_timeout,
        commands_only,
        act_as,
        None if address is not None else _choices(where, ccdt, home),
    )


def _choices(
    name: str, ccdt: str | os.PathLike[str] | None, home: str | os.PathLike[str] | None
) -> Choices | None:
    """Return the client channels for a name; None for the name of a queue manager of this machine."""
    if ccdt is None and not (any(os.environ.get(each) for each in VARIABLES) or name.startswith("*")):
        return None
    if ccdt is None and name and not name.startswith("*") and is_known_here(name, home):
        return None
    from penstock.client.channel_environment import choices_for

    choices = choices_for(name, ccdt, os.environ)
    if choices is None:
        raise error(
            mq.MQRC_Q_MGR_NAME_ERROR,
            f"{name} means any queue manager of a table: give ccdt, or set MQCCDTURL or MQSERVER",
        )
    choices.find = partial(choices_for, table=ccdt, where=os.environ)
    return choices


def reconnection(asked: bool | str | None, target: Target) -> bool | str:
    """Return how a connection reconnects: as asked, else as DEFRECON says; DISABLED overrides both."""
    if target.choices is None:
        return False if asked is None else asked
    default = target.choices.reconnect
    if default is None:
        return False
    return default if asked is None else asked
