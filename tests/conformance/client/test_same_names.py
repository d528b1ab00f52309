"""Clause 6: every way to a queue manager has the same public names, and takes the same arguments."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import penstock
from penstock.host.consuming import Consumer
from penstock.host.flows import Flows
from penstock.host.object_handle import ObjectHandle
from penstock.host.subscription import Subscription
from penstock.wire.client.aio_consuming import AsyncConsumer
from penstock.wire.client.aio_flows import AsyncFlows
from penstock.wire.client.aio_handle import AsyncHandle
from penstock.wire.client.aio_queue_manager import AsyncQueueManager
from penstock.wire.client.aio_reconnecting import ReconnectingAsyncQueueManager
from penstock.wire.client.aio_subscription import AsyncSubscription
from penstock.wire.client.flows import ClientFlows
from penstock.wire.client.handle import ClientHandle
from penstock.wire.client.queue_manager import ClientQueueManager
from penstock.wire.client.reconnecting import ReconnectingQueueManager
from penstock.wire.client.subscription import ClientSubscription

pytestmark = pytest.mark.installed

# What a program may call: the surface that the reference describes.
VERBS = """
backout backout_prepared backup begin browse checkpoint close commit commit_prepared consume disconnect
explain_access export get get_many messages mqsc mqsc_script open prepare prepared publish put put_list
put_many put_messages queues request status subscribe unit_of_work unsubscribe
"""
PAIRS = (
    (ClientQueueManager, AsyncQueueManager),
    (ReconnectingQueueManager, ReconnectingAsyncQueueManager),
    (ClientHandle, AsyncHandle),
    (ClientSubscription, AsyncSubscription),
    (ClientFlows, AsyncFlows),
    (Consumer, AsyncConsumer),
)
EMBEDDED = (
    (ObjectHandle, ClientHandle),
    (Subscription, ClientSubscription),
    (Flows, ClientFlows),
)
# How the clients do it; no program calls these.
INSIDE = """
abandon ask_many attempt call check check_open come_back describe_as drop_scope end_scope enter_scope forget
get_in_full new_scope new_unit patience put_in_full reopen stream
"""


def public(kind: type[Any]) -> set[str]:
    """Return the names of methods that a program sees."""
    names = {name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}
    return names - set(INSIDE.split())


@pytest.mark.parametrize(("blocking", "asynchronous"), PAIRS)
def test_both_clients_have_the_same_names(blocking: type[Any], asynchronous: type[Any]) -> None:
    assert public(blocking) == public(asynchronous)


@pytest.mark.parametrize("kind", [penstock.QueueManager, ClientQueueManager, AsyncQueueManager])
def test_every_queue_manager_has_every_verb(kind: type[Any]) -> None:
    assert public(kind) >= set(VERBS.split())
    assert hasattr(kind, "flows")


def test_a_client_has_what_only_a_server_can_do_and_no_more() -> None:
    assert public(ClientQueueManager) - set(VERBS.split()) == {"put_status", "stop"}


@pytest.mark.parametrize(("embedded", "client"), EMBEDDED)
def test_a_client_has_the_names_of_the_embedded_one(embedded: type[Any], client: type[Any]) -> None:
    names = {name for name in public(embedded) if inspect.isfunction(inspect.getattr_static(embedded, name))}

    assert names <= public(client)


@pytest.mark.parametrize(("blocking", "asynchronous"), PAIRS)
def test_both_clients_take_the_same_arguments(blocking: type[Any], asynchronous: type[Any]) -> None:
    for name in public(blocking):
        one, other = getattr(blocking, name), getattr(asynchronous, name)
        if inspect.isfunction(one) and inspect.isfunction(other):
            assert _required(one) == _required(other), name


def _required(function: Any) -> list[str]:
    given = inspect.signature(function).parameters.values()
    return [each.name for each in given if each.default is each.empty and each.kind is not each.VAR_KEYWORD]


def test_connect_takes_the_same_arguments() -> None:
    blocking = inspect.signature(penstock.connect).parameters.keys()
    asynchronous = inspect.signature(penstock.aio.connect).parameters.keys()

    assert blocking - asynchronous == {"share"}  # a connection of asyncio has a socket of its own
    assert asynchronous <= blocking
