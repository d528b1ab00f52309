"""Publish/subscribe clusters at random: proxies agree, and every publication reaches each subscriber once.

`make test` runs three seeds, `make soak` 300. Each planted bug leaves one rule out; it must be found.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.qmgr.pubsub.cluster_links import ClusterLinks
from penstock.qmgr.pubsub.proxies import Proxies
from penstock.qmgr.pubsub.republishing import Republisher
from tests.simulation.channels import Violation
from tests.simulation.publications import simulate

HUNT_SEEDS = 100
SOAK_SEEDS = 300
CHUNK = 20  # seeds of one test


def test_publications_reach_each_subscriber_once(tmp_path: Path) -> None:
    for seed in range(3):
        simulate(seed, tmp_path / str(seed))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, SOAK_SEEDS, CHUNK))
def test_publications_reach_each_subscriber_once_in_many_runs(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + CHUNK):
        simulate(seed, tmp_path / str(seed))


def _all(self: ClusterLinks, settings: Any, found: list[Any]) -> list[Any]:
    return found


BUGS: dict[str, tuple[Any, str, Any]] = {
    "goes-back-and-round": (Republisher, "_has_had", lambda *given: False),
    "never-passed-on-by-a-host": (Republisher, "_has_had", lambda *given: True),
    "a-copy-for-each-proxy": (ClusterLinks, "refine", _all),
    "proxies-are-never-removed": (Proxies, "_let_go", lambda *given: None),
    "members-that-left-keep-proxies": (ClusterLinks, "_has_left", lambda *given: False),
    "topics-of-others-are-ignored": (ClusterLinks, "_share", lambda *given: None),
}


@pytest.mark.soak
@pytest.mark.parametrize("bug", BUGS)
def test_a_rule_left_out_is_found(bug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*BUGS[bug])
    for seed in range(HUNT_SEEDS):
        try:
            simulate(seed, tmp_path / str(seed))
        except Violation:
            return
        except AssertionError as endless:
            assert "round and round" in str(endless)
            return
    pytest.fail(f"{bug} was not found in {HUNT_SEEDS} seeds")
