"""Clause 6: every way to a queue manager has the same public names, arguments, defaults and answers.

Compiled methods have signatures too: `inspect.signature` reads them, and a test makes sure that it does.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from dataclasses import fields
from typing import Any

import pytest

import penstock
from penstock.client.aio.batches import AsyncBatches
from penstock.client.aio.consuming import AsyncConsumer
from penstock.client.aio.handle import AsyncHandle
from penstock.client.aio.queue_manager import AsyncQueueManager
from penstock.client.aio.reconnecting import (
    ReconnectingAsyncHandle,
    ReconnectingAsyncQueueManager,
    ReconnectingAsyncSubscription,
)
from penstock.client.aio.subscription import AsyncSubscription
from penstock.client.batches import ClientBatches
from penstock.client.handle import ClientHandle
from penstock.client.queue_manager import ClientQueueManager
from penstock.client.reconnecting import (
    ReconnectingHandle,
    ReconnectingQueueManager,
    ReconnectingSubscription,
)
from penstock.client.subscription import ClientSubscription
from penstock.face import declared, surface
from penstock.face.awaiting import AsyncioHandle, AsyncioQueueManager, AsyncioSubscription
from penstock.face.blocking import BlockingHandle, BlockingQueueManager, BlockingSubscription
from penstock.face.consuming import Consumer
from penstock.face.message_arguments import BESIDE_FIELDS
from penstock.host.batches import Batches
from penstock.host.object_handle import ObjectHandle
from penstock.host.subscription import Subscription
from penstock.model.message import Descriptor
from tests.uncompiled import ROOT

pytestmark = pytest.mark.installed

CLIENT_ONLY = {"put_status", "stop"}  # an embedded queue manager waits for no answer, and stops by `close`
FACTS = {"closed", "durable", "id", "name", "options", "queue", "topic"}  # of objects, not of their classes
CONSUMER = {"resume", "running", "start", "stop", "suspend"}
BATCHES = {name for name in vars(Batches) if not name.startswith("_")}
FAMILIES = (
    (
        surface.QUEUE_MANAGER - FACTS,
        penstock.QueueManager,
        (
            ClientQueueManager,
            ReconnectingQueueManager,
            AsyncQueueManager,
            ReconnectingAsyncQueueManager,
        ),
    ),
    (
        surface.HANDLE - FACTS - {"resolved"},
        ObjectHandle,
        (ClientHandle, ReconnectingHandle, AsyncHandle, ReconnectingAsyncHandle),
    ),
    (
        surface.SUBSCRIPTION - FACTS,
        Subscription,
        (ClientSubscription, ReconnectingSubscription, AsyncSubscription, ReconnectingAsyncSubscription),
    ),
    (BATCHES, Batches, (ClientBatches, AsyncBatches)),
    (CONSUMER, Consumer, (AsyncConsumer,)),
)
DECLARED = (
    (surface.QUEUE_MANAGER - FACTS - CLIENT_ONLY, penstock.QueueManager, BlockingQueueManager),
    (surface.QUEUE_MANAGER - FACTS - CLIENT_ONLY, penstock.QueueManager, AsyncioQueueManager),
    (surface.HANDLE - FACTS - {"resolved"}, ObjectHandle, BlockingHandle),
    (surface.HANDLE - FACTS - {"resolved"}, ObjectHandle, AsyncioHandle),
    (surface.SUBSCRIPTION - FACTS, Subscription, BlockingSubscription),
    (surface.SUBSCRIPTION - FACTS, Subscription, AsyncioSubscription),
)
OF_DESCRIPTORS = {(each.name, str(each.type)) for each in fields(Descriptor)}
PAIRS = [(names, embedded, other) for names, embedded, others in FAMILIES for other in others]
PREFIXES = re.compile(r"\b(Object|Client|Reconnecting|Blocking|Asyncio|Async)+(?=[A-Z])")


def answer_of(signature: inspect.Signature) -> str:
    """Return what a method answers, as the embedded one says it."""
    return PREFIXES.sub("", str(signature.return_annotation)).replace("WorkContext", "Work")


def described(method: Any) -> list[tuple[str, str, str, str]]:
    """Return each parameter but the object itself: name, kind, default, type."""
    return [
        (each.name, each.kind.name, repr(each.default), str(each.annotation))
        for each in inspect.signature(method).parameters.values()
        if each.name != "self"
    ]


@pytest.mark.parametrize(("names", "embedded", "other"), PAIRS)
def test_a_way_has_every_name_and_the_same_signature(
    names: set[str], embedded: type[Any], other: type[Any]
) -> None:
    different = []
    for name in sorted(names):
        one, two = getattr(embedded, name, None), getattr(other, name, None)
        if name in CLIENT_ONLY and one is None:
            one = getattr(ClientQueueManager, name)
        assert one is not None, f"{embedded.__name__} has no {name}"
        assert two is not None, f"{other.__name__} has no {name}"
        if not callable(one):
            assert not callable(two), name
            continue
        if described(one) != described(two):
            different.append(f"{name}: {described(one)} and {described(two)}")
        first, second = inspect.signature(one), inspect.signature(two)
        if answer_of(first) != answer_of(second):
            different.append(f"{name} answers {answer_of(first)} and {answer_of(second)}")
    assert different == []


def positional(method: Any) -> list[tuple[str, str, str, str]]:
    return [each for each in described(method) if each[1] not in ("KEYWORD_ONLY", "VAR_KEYWORD")]


def by_name(method: Any) -> set[tuple[str, str]]:
    """Return the keyword arguments of a method, with types; a table of them stands for what it has."""
    found = {(name, kind_of) for name, kind, _, kind_of in described(method) if kind == "KEYWORD_ONLY"}
    for _, kind, _, annotation in described(method):
        table = re.fullmatch(r"Unpack\[(\w+)\]", annotation)
        if kind == "VAR_KEYWORD" and table:
            hints = getattr(declared, table[1]).__annotations__
            found |= {(name, getattr(hint, "__forward_arg__", hint)) for name, hint in hints.items()}
    return found


@pytest.mark.parametrize(("names", "embedded", "declaration"), DECLARED)
def test_a_declaration_has_every_name_and_the_same_arguments(
    names: set[str], embedded: type[Any], declaration: type[Any]
) -> None:
    different = []
    for name in sorted(names):
        one, two = getattr(embedded, name), getattr(declaration, name)
        if not callable(one):
            continue
        wanted, found = by_name(one), by_name(two)
        if any(each[0] == "fields" for each in described(one)):
            found = {each for each in found if each[0] not in BESIDE_FIELDS}
            named = {each[0] for each in positional(one)}
            wanted |= {each for each in OF_DESCRIPTORS if each[0] not in named}
        if wanted != found or positional(one) != positional(two):
            different.append(f"{name}: {sorted(wanted ^ found)}, {positional(one)} and {positional(two)}")
        if answer_of(inspect.signature(one)) != answer_of(inspect.signature(two)):
            different.append(f"{name} answers otherwise")
    assert different == []


def test_signatures_of_compiled_methods_are_read() -> None:
    """Were they not, the comparison above would compare nothing."""
    for kind in (penstock.QueueManager, ClientQueueManager):
        assert not inspect.isfunction(kind.put)
        named = [name for name, *_ in described(kind.put)]
        assert named[:3] == ["queue", "body", "persistent"]
        assert ("wait", "KEYWORD_ONLY", "0.0", "float | None") in described(kind.get)


def test_each_client_names_its_own_answers() -> None:
    for kind, handle, subscription in (
        (ClientQueueManager, "ClientHandle", "ClientSubscription"),
        (AsyncQueueManager, "AsyncHandle", "AsyncSubscription"),
    ):
        assert inspect.signature(kind.open).return_annotation == handle
        assert inspect.signature(kind.subscribe).return_annotation == subscription


@pytest.mark.parametrize("kind", [kind for _, kind, _ in FAMILIES[:3]])
def test_no_argument_hides_behind_stars(kind: type[Any]) -> None:
    """Fields of a descriptor, and names that are refused, are all that `**` may take."""
    names = next(names for names, embedded, _ in FAMILIES if embedded is kind)
    for name in names - CLIENT_ONLY:
        method = getattr(kind, name)
        if callable(method):
            stars = [each for each in described(method) if each[1].startswith("VAR_")]
            assert {each[0] for each in stars} <= {"fields", "unknown", "selectors", "named", "names"}, name


def test_connect_takes_the_same_arguments() -> None:
    blocking = inspect.signature(penstock.connect).parameters.keys()
    asynchronous = inspect.signature(penstock.aio.connect).parameters.keys()

    assert blocking - asynchronous == {"share"}  # a connection of asyncio has a socket of its own
    assert asynchronous <= blocking


def test_a_misspelt_argument_of_connect_and_embed_names_the_likely_one() -> None:
    with pytest.raises(TypeError, match="connect has no argument 'passwort'; did you mean 'password'"):
        penstock.connect("QM1", passwort="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="did you mean 'reconnect'"):
        asyncio.run(penstock.aio.connect("QM1", reconect=True))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"no argument 'chanel'; channel is part of the address: mq://"):
        penstock.connect("QM1", chanel="APP")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="embed has no argument 'crate'; did you mean 'create'"):
        penstock.embed("QM1", crate=True)


# -- what `dir` shows -----------------------------------------------------------------------------


def test_dir_shows_what_a_program_uses_and_no_more(qm: Any) -> None:
    with qm.open("Q") as handle, qm.subscribe("dir/#") as subscription:
        for subject, names in (
            (qm, surface.QUEUE_MANAGER),
            (handle, surface.HANDLE),
            (subscription, surface.SUBSCRIPTION),
        ):
            inner = getattr(subject, "_subject", subject)  # of a `Blocking`
            seen = {name for name in dir(inner) if not name.startswith("__")}
            assert seen | CLIENT_ONLY == set(names) | CLIENT_ONLY
            assert all(hasattr(inner, name) for name in seen)


def test_the_reference_tells_of_every_name() -> None:
    pages = "".join((ROOT / "docs" / "reference" / page).read_text() for page in ("python.md", "client.md"))
    for names in (surface.QUEUE_MANAGER, surface.HANDLE, surface.SUBSCRIPTION):
        assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", pages)] == []


# -- misspelt arguments -----------------------------------------------------------------------------

MISSPELT = (
    ("put", ("Q", b"x"), "persistant", "persistent"),
    ("put", ("Q", b"x"), "replyto", "reply_to"),
    ("put", ("Q", b"x"), "corelid", "correl_id"),
    ("put_many", ("Q", [b"x"]), "priorty", "priority"),
    ("get", ("Q",), "corel_id", "correl_id"),
    ("get", ("Q",), "selektor", "selector"),
    ("get_many", ("Q", 1), "waiting", "wait"),
    ("messages", ("Q",), "waits", "wait"),
    ("consume", ("Q", print), "onerror", "on_error"),
    ("publish", ("t", b"x"), "retained", "retain"),
    ("publish", ("t", b"x"), "formt", "format"),
    ("subscribe", ("t",), "durabel", "durable"),
    ("subscribe", ("t",), "userdata", "user_data"),
    ("open", ("Q",), "dynamicname", "dynamic_name"),
    ("request", ("Q", b"x", "Q2"), "waitt", "wait"),
    ("explain_access", ("alice",), "chanel", "channel"),
    ("browse", ("Q",), "selectr", "selector"),
    ("mqsc", ("DISPLAY QMGR",), "chek", "check"),
    ("mqsc_script", (["DISPLAY QMGR"],), "verfy", "verify"),
    ("export", (), "everthing", "everything"),
    ("explain_route", ("Q",), "qmgrs", "qmgr"),
    ("queues", (), "patern", "pattern"),
    ("peek", ("Q",), "body_byte", "body_bytes"),
    ("trace", ("CHANNEL", "C"), "aftr", "after"),
)
OF_HANDLE = (("put", (b"x",), "putime", "put_time"), ("get", (), "maxlength", "max_length"))
OF_SUBSCRIPTION = (
    ("get", (), "corel_id", "correl_id"),
    ("consume", (print,), "unit_of_wrk", "unit_of_work"),
    ("alter", (), "selecter", "selector"),
)


def _suggests(subject: Any, verb: str, given: tuple[Any, ...], wrong: str, right: str) -> None:
    with pytest.raises(TypeError, match=f"{verb} has no argument '{wrong}'; did you mean '{right}'"):
        getattr(subject, verb)(*given, **{wrong: None})


def test_a_misspelt_argument_tells_the_likely_one(qm: Any) -> None:
    for case in MISSPELT:
        _suggests(qm, *case)
    with qm.open("Q") as handle, qm.subscribe("misspelt/#") as subscription:
        for case in OF_HANDLE:
            _suggests(handle, *case)
        for case in OF_SUBSCRIPTION:
            _suggests(subscription, *case)
    with pytest.raises(TypeError, match=r"put has no argument 'colour'$"):
        qm.put("Q", b"x", colour="red")
    assert qm.get("Q") is None
