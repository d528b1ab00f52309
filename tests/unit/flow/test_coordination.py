"""Records of decided units: none is lost while it is needed, none stays when it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.running import coordination
from penstock.flow.running.coordination import RECORDS, Coordination, _mark

if TYPE_CHECKING:
    import pytest


class NoDatabases:
    """Databases without a unit."""

    def coordinated(self, namer: Any) -> NoDatabases:
        return self

    def prepare_all(self) -> list[str]:
        return []

    def last_agents(self) -> list[str]:
        return []

    def engine(self, source: str) -> None:
        return None


def made(qm: Any, *sources: str) -> Coordination:
    databases: Any = NoDatabases()
    return Coordination(qm, databases, sources)


def decided(qm: Any, flow: Coordination) -> str:
    """Leave the record of a unit that was decided."""
    unit = f"{flow._stem}0"
    with qm.unit_of_work():
        flow._record(unit, ["BANK"])
    return unit


def test_a_unit_that_is_backed_out_leaves_old_records_to_the_next(qm: Any) -> None:
    flow = made(qm)
    flow._done.append(_mark(decided(qm, flow)))
    qm.begin()
    flow.prepare()
    qm.backout()
    assert len(list(qm.browse(RECORDS))) == 1
    qm.begin()
    flow.prepare()
    flow.commit()
    assert list(qm.browse(RECORDS)) == []


def test_a_flow_that_dies_during_recovery_keeps_its_records(qm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its prepared part came too late for the list: the next recovery needs the record."""
    dying, recovering = made(qm), made(qm, "BANK")
    unit = decided(qm, dying)

    def listed(engine: Any, beginning: str) -> list[str]:
        dying.alive.close()
        return []

    monkeypatch.setattr(coordination, "has_two_phases", lambda engine: True)
    monkeypatch.setattr(coordination, "in_doubt", listed)
    recovering.recover()
    assert recovering._recorded(unit)
    monkeypatch.setattr(coordination, "in_doubt", lambda engine, beginning: [])
    recovering.recover()
    assert not recovering._recorded(unit)
