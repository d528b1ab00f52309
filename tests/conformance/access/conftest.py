"""A queue manager's rules, and somebody who knocks at a channel."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from penstock.admin.channel_authentication.evaluator import ChannelAuthentication, Decision
from penstock.admin.connection_authentication import Verdict
from penstock.admin.mqsc import run
from tests.unit.admin.engine_double import NOW, EngineDouble

ADMINISTRATORS = ("mqm", "root")


@pytest.fixture
def engine() -> EngineDouble:
    return EngineDouble()


@pytest.fixture
def rules(engine: EngineDouble) -> Callable[[str], None]:
    """Run MQSC that must succeed; channel C is defined, and passwords are nobody's business."""

    def set_rules(text: str) -> None:
        for reply in run(engine, text, NOW):
            assert not reply.failed, reply

    set_rules("DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nALTER QMGR CONNAUTH(' ')")
    return set_rules


@pytest.fixture
def knock(engine: EngineDouble, rules: object) -> Callable[..., Decision]:
    evaluator = ChannelAuthentication(engine.objects, ADMINISTRATORS.__contains__)

    def decide(channel: str = "C", address: str = "10.1.2.3", user: str = "bob", **more: object) -> Decision:
        return evaluator.decide(channel, address, user=user, **more)

    return decide


@pytest.fixture
def right() -> Callable[[str], Verdict]:
    """The verdict on a right password."""
    return lambda user: Verdict(user, True, True, "right")


@pytest.fixture
def wrong() -> Callable[[str], Verdict]:
    """The verdict on a wrong password."""
    return lambda user: Verdict(user, True, False, "wrong", 1.0)
