"""What users of this machine are called: remembered for a minute, and asked anew after REFRESH SECURITY."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import penstock
from penstock.host.users import system_groups
from penstock.serve.entry.access import ServerAccess

pytestmark = pytest.mark.installed


@pytest.fixture
def qm(penstock_home: object) -> Iterator[penstock.QueueManager]:
    with penstock.embed("QM1", create=True) as made:
        yield made


@pytest.fixture
def access(qm: penstock.QueueManager) -> Iterator[ServerAccess]:
    made = ServerAccess(qm.host)
    yield made
    made.close()


def test_a_name_is_remembered_until_a_refresh(qm: penstock.QueueManager, access: ServerAccess) -> None:
    assert access.name_of(1000) is None
    access.note_name(1000, "ann")
    assert access.name_of(1000) == "ann"

    list(qm.mqsc("REFRESH SECURITY(*)"))

    assert access.name_of(1000) is None


def test_a_name_is_asked_for_again_after_a_while(
    access: ServerAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_groups, "FRESH_SECONDS", 0.0)
    access.note_name(1000, "ann")
    assert access.name_of(1000) is None
