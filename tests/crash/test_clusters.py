"""A member of a cluster is killed: unbound messages reach the others, and it comes back with all it knew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cluster_group import Group
from tests.patience import SECONDS, until


@pytest.mark.crash
def test_messages_of_a_dead_member_reach_the_living_and_nothing_is_lost(tmp_path: Path) -> None:
    group = Group(tmp_path, ("LONDON", "NEWYORK", "PARIS"))
    try:
        group.form("INVENTORY")
        for name in ("NEWYORK", "PARIS"):
            group.run(name, "DEFINE QLOCAL(STOCK) CLUSTER(INVENTORY) DEFBIND(NOTFIXED)")
        until(lambda: len([r for r in group["LONDON"].mqsc("DISPLAY QCLUSTER(STOCK)") if r.attributes]) == 2)
        group.kill("PARIS")

        for number in range(20):
            group["LONDON"].put("STOCK", b"%02d" % number, persistent=True)

        until(lambda: group.depth("NEWYORK", "STOCK") == 20)
        found = {bytes(group["NEWYORK"].get("STOCK", wait=60).body) for _ in range(20)}
        assert found == {b"%02d" % number for number in range(20)}

        group.kill("LONDON")
        group.start("LONDON")
        group.start("PARIS")
        group.until_knows("LONDON", {"LONDON", "NEWYORK", "PARIS"})
        for _ in range(4):
            group["LONDON"].put("STOCK", b"again", persistent=True)
        until(lambda: group.depth("NEWYORK", "STOCK") + group.depth("PARIS", "STOCK") == 4)
    finally:
        group.stop()


@pytest.mark.crash
def test_a_change_of_the_transmission_queue_outlives_kills(tmp_path: Path, scale: int) -> None:
    """LONDON is killed while messages move from one queue to another: each arrives once, in order."""
    group, many = Group(tmp_path, ("LONDON", "PARIS")), 400 * scale
    try:
        group.form("INVENTORY")
        group.run("PARIS", "DEFINE QLOCAL(ORDER) CLUSTER(INVENTORY) MAXDEPTH(999999)")
        until(lambda: [r for r in group["LONDON"].mqsc("DISPLAY QCLUSTER(ORDER)") if r.attributes])
        wanted = ["CHANNEL", "SCTQ"] * min(scale, 10)
        for turn, queue in enumerate(wanted):
            group.run("LONDON", "STOP CHANNEL(INVENT.PARIS)")
            until(lambda: group.members("LONDON")["PARIS"]["STATUS"] in ("STOPPED", ""))
            with group["LONDON"].unit_of_work():
                for number in range(turn * many, (turn + 1) * many):
                    group["LONDON"].put("ORDER", b"%06d" % number, persistent=True)
            group.run("LONDON", f"ALTER QMGR DEFCLXQ({queue})\nSTART CHANNEL(INVENT.PARIS)")
            group.kill("LONDON")
            group.start("LONDON")

        count = len(wanted) * many
        found = [bytes(group["PARIS"].get("ORDER", wait=SECONDS).body) for _ in range(count)]
        assert found == [b"%06d" % number for number in range(count)]
        own = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
        until(lambda: group.members("LONDON")["PARIS"]["XMITQ"] == own)
        assert group.depth("PARIS", "ORDER") == group.depth("LONDON", own) == 0
    finally:
        group.stop()


def put_ten(group: Group, first: int) -> None:
    for number in range(first, first + 10):
        group["PARIS"].put("STOCK", b"%03d" % number, persistent=True)


@pytest.mark.soak
@pytest.mark.crash
@pytest.mark.parametrize("story", ["full killed", "killed while it joins", "killed in refresh", "restored"])
def test_a_cluster_survives(tmp_path: Path, story: str) -> None:
    """A full repository or a member is killed or restored: all learn everything again, nothing is lost."""
    group = Group(tmp_path, ("LONDON", "NEWYORK", "PARIS"))
    try:
        if story == "killed while it joins":
            group.join("LONDON", "INVENTORY", "NEWYORK", True)
            group.join("NEWYORK", "INVENTORY", "LONDON", True)
            group.join("PARIS", "INVENTORY", "LONDON")
            group.kill("PARIS")
            group.start("PARIS")
            group.until_knows("LONDON", {"NEWYORK", "PARIS"})
        else:
            group.form("INVENTORY")
        group.run("NEWYORK", "DEFINE QLOCAL(STOCK) CLUSTER(INVENTORY) DEFBIND(NOTFIXED)")
        put_ten(group, 0)
        until(lambda: group.depth("NEWYORK", "STOCK") == 10)
        if story == "full killed":
            group.kill("LONDON")
            group.run("NEWYORK", "DEFINE QLOCAL(NEW) CLUSTER(INVENTORY)")
            group["PARIS"].put("NEW", b"with one full repository")
            group.start("LONDON")
            until(lambda: [r for r in group["LONDON"].mqsc("DISPLAY QCLUSTER(NEW)") if r.attributes])
        elif story == "killed in refresh":
            group.run("PARIS", "REFRESH CLUSTER(INVENTORY) REPOS(YES)")
            group.kill("PARIS")
            group.start("PARIS")
        elif story == "restored":
            group.halt("PARIS")
            copy = tmp_path / "copy"
            shutil.copytree(group.served["PARIS"].folder, copy, symlinks=True)
            group.start("PARIS")
            group.run("PARIS", "DEFINE QLOCAL(LATER) CLUSTER(INVENTORY)")
            until(lambda: [r for r in group["LONDON"].mqsc("DISPLAY QCLUSTER(LATER)") if r.attributes])
            group.halt("PARIS")
            shutil.rmtree(group.served["PARIS"].folder)
            copy.rename(group.served["PARIS"].folder)
            group.start("PARIS")
            until(lambda: not [r for r in group["LONDON"].mqsc("DISPLAY QCLUSTER(LATER)") if r.attributes])
        put_ten(group, 10)
        until(lambda: group.depth("NEWYORK", "STOCK") == 20)
        found = sorted(bytes(group["NEWYORK"].get("STOCK", wait=60).body) for _ in range(20))
        assert found == [b"%03d" % number for number in range(20)]
    finally:
        group.stop()
