"""The power goes while commands on SYSTEM.BROKER.CONTROL.QUEUE are being carried out.

A command is got, a subscription made or removed, retained publications sent or cleared, an answer put. Each
record is on disk before the next is written, so that an accident can come between any two. After the
restart, which carries out what is left, everything looks as after the commands that were confirmed, or as
after one more: no command is lost, none is done twice, and no answer says that it had been done before.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from penstock.model.rfh2 import Rfh2, unpack_rfh2
from penstock.store.faults import LOSE_ALL, LOSE_OLDEST, Faults
from tests.crash.test_publications import OneByOne

pytestmark = pytest.mark.crash

SOAK = os.environ.get("PENSTOCK_SOAK", "") not in ("", "0")
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}
ACCIDENTS = ({"tear_bytes": 0}, {"tear_bytes": 300}, {"lose": LOSE_ALL}, {"lose": LOSE_OLDEST})
CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"
SAMPLES = 30
COMMANDS = (
    "<Command>Publish</Command><PubOpt>RetainPub</PubOpt><Topic>a/b</Topic>",
    "<Command>RegSub</Command><Topic>a/#</Topic><Topic>b</Topic><QName>SUBS</QName>",
    "<Command>Publish</Command><PubOpt>RetainPub</PubOpt><Topic>a/c</Topic><Topic>b</Topic>",
    "<Command>RegSub</Command><Topic>a/#</Topic><QName>SUBS</QName><SubUserData>new</SubUserData>",
    "<Command>ReqUpdate</Command><Topic>a/#</Topic><QName>SUBS</QName>",
    "<Command>DelPub</Command><Topic>a/b</Topic>",
    "<Command>RegSub</Command><Topic>a/+</Topic><QName>SUBS</QName>",
    "<Command>DeregSub</Command><Topic>a/#</Topic><QName>SUBS</QName>",
    "<Command>Publish</Command><Topic>a/d</Topic>",
    "<Command>DeregSub</Command><RegOpt>DeregAll</RegOpt><QName>SUBS</QName>",
)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("fresh")
    with penstock.embed("QM1", create=True, home=home, **LOG) as qm:
        qm.mqsc("DEFINE QLOCAL(SUBS)\nDEFINE QLOCAL(REPLIES)")
    return home


def work(home: Path, faults: Faults | None, states: list[Any] | None = None) -> int:
    """Send the commands until an accident; return how many were confirmed."""
    confirmed = 0
    qm = None
    try:
        qm = penstock.embed("QM1", home=home, faults=faults)
        qm.engine.journal = OneByOne(qm.engine.journal)
        for number, content in enumerate(COMMANDS):
            qm.put(
                CONTROL,
                Rfh2((f"<psc>{content}</psc>",)).pack() + b"%02d" % number,
                format="MQHRF2",
                msg_type=mq.MQMT_REQUEST,
                reply_to="REPLIES",
                persistent=True,
            )
            confirmed += 1
            if states is not None:
                states.append(state(qm))
            if number % 4 == 3:
                qm.checkpoint()
    except penstock.MQError:
        return confirmed
    finally:
        if qm is not None:
            qm.host.abandon()
    return confirmed


def state(qm: penstock.QueueManager) -> tuple[Any, ...]:
    """Return what the commands so far have brought about."""
    subscriptions = {name: each.user_data for name, each in qm.engine.pubsub.subscriptions.items()}
    retained = {topic for topic, node in qm.engine.pubsub.tree.nodes.items() if node.retained is not None}
    copies = sorted(bytes(message.body[-2:]) for message in qm.browse("SUBS"))
    answers = [unpack_rfh2(message.body)[0].folders for message in qm.browse("REPLIES")]
    return subscriptions, retained, copies, answers, qm.engine.queues[CONTROL].depth


def test_each_command_is_done_once(fresh: Path, tmp_path: Path) -> None:
    counting = Faults()
    shutil.copytree(fresh, tmp_path / "whole")
    with penstock.embed("QM1", home=tmp_path / "whole") as qm:
        states = [state(qm)]
    assert work(tmp_path / "whole", counting, states) == len(COMMANDS)
    assert all("<Completion>ok</Completion>" in folders[0] for folders in states[-1][3])
    step = 1 if SOAK else max(1, counting.operations // SAMPLES)
    for n in range(1, counting.operations + 1, step):
        accident = ACCIDENTS[n % len(ACCIDENTS)]
        home = tmp_path / f"at-{n}"
        shutil.copytree(fresh, home)
        confirmed = work(home, Faults(stop_at=n, **accident))
        with penstock.embed("QM1", home=home) as qm:
            found = state(qm)
        assert found in states[confirmed : confirmed + 2], (n, accident, confirmed)
        shutil.rmtree(home)
