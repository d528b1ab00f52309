"""`penstock cluster create|join|leave|list|check|explain`: three queue managers, one story, and refusals."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.main import application
from penstock.qmgr.clusters.choice import CLASS_OF, Instance, eligible
from penstock.tools.cluster_checks import Seen, findings
from penstock.tools.cluster_choice import decided, explained
from penstock.tools.cluster_facts import MemberFacts, own_channels
from penstock.tools.cluster_scripts import channel_name, entering, sending
from tests.cluster_group import Group
from tests.patience import until

Command = Callable[..., tuple[int, str]]


# -- rules and texts, without a queue manager -------------------------------------------------


def test_a_name_that_is_too_long_for_a_channel_is_refused_with_its_length() -> None:
    assert channel_name("INVENTORY", "PARIS") == ("INVENTORY.PARIS", "")
    assert "23 characters" in channel_name("INVENTORY", "SANTIAGO12345")[1]
    assert channel_name("INVENTORY", "SANTIAGO12345", "INV.SANTIAGO") == ("INV.SANTIAGO", "")
    assert "name of a cluster" in channel_name("NOT GOOD", "PARIS")[1]


def test_names_and_addresses_cannot_end_their_text() -> None:
    assert "CONNAME('it''s(1)') CLUSTER(C)" in sending("C", "C.A", "it's(1)")
    assert entering("C", "c.a", "h(1)", True)[0] == "ALTER QMGR REPOS(C)"
    assert "CHANNEL('c.a') CHLTYPE(CLUSRCVR)" in entering("C", "c.a", "h(1)", False)[0]


def test_the_rules_that_are_told_leave_what_the_choice_leaves() -> None:
    dice = random.Random(19)
    for _ in range(2000):
        instances = [
            Instance(
                cluster="C",
                qmid=f"Q{dice.randrange(3)}",
                qmgr="Q",
                channel=f"C.{number}",
                local=number == 0 and dice.random() < 0.3,
                put_enabled=dice.random() < 0.8,
                queue_rank=dice.randrange(2),
                queue_priority=dice.randrange(2),
                channel_rank=dice.randrange(2),
                channel_priority=dice.randrange(2),
                net_priority=dice.randrange(2),
                suspended=dice.random() < 0.3,
                state=dice.choice(sorted(CLASS_OF)),
            )
            for number in range(dice.randrange(6))
        ]
        use_local = dice.random() < 0.5
        dropped = decided(instances, use_local)
        assert [each for each in instances if id(each) not in dropped] == eligible(instances, use_local)


def member(name: str, role: str = "full", **more: Any) -> MemberFacts:
    about = {"cluster": "C", "name": name, "id": f"{name}_1", "role": role, "channel": f"C.{name}"}
    return MemberFacts(
        **{**about, "address": "h(1)", "state": "RUNNING", "suspended": False, "here": False, **more}
    )


def seen(name: str, *others: MemberFacts, role: str = "full", **more: Any) -> Seen:
    members = [member(name, role, here=True), *others]
    given = {
        "name": name,
        "id": f"{name}_1",
        "version": "1",
        "is_started": True,
        "is_inside": True,
        "members": members,
        "records": {("member", each.channel, each.id): {"QMTYPE": each.role} for each in members},
        "owners": {each.id: each.name for each in members},
        "errors": {},
    }
    return Seen(**{**given, **more})


def problems(*asked: Seen) -> list[str]:
    return [f"{each.subject}: {each.text}" for each in findings("C", list(asked)) if each.state == "problem"]


def test_members_that_agree_have_no_problem_and_one_alone_proves_nothing() -> None:
    assert problems(seen("A", member("B")), seen("B", member("A"))) == []
    told = {each.text: each.state for each in findings("C", [seen("A", member("B"))])}
    assert told["only A was asked: there is nothing to compare"] == "note"


def test_a_full_repository_that_does_not_know_a_member_is_named() -> None:
    assert problems(seen("A"), seen("B", member("A"))) == ["A: does not know member C.B of B"]


def test_a_member_that_is_known_and_has_left_is_named() -> None:
    gone = seen("B", is_inside=False, members=[], records={})
    assert "A: knows member C.B of B, which is not there" in problems(seen("A", member("B")), gone)


def test_values_that_differ_from_their_owners_are_named() -> None:
    assert problems(seen("A", member("B", "partial")), seen("B", member("A"))) == [
        "A: has member C.B of B with QMTYPE(partial), B has QMTYPE(full)"
    ]


def test_a_partial_repository_need_not_know_everything() -> None:
    paris = seen("P", member("A"), role="partial")
    assert (
        problems(
            seen("A", member("P", "partial"), member("B")),
            paris,
            seen("B", member("A"), member("P", "partial")),
        )
        == []
    )


def test_a_cluster_without_full_repository_and_one_with_a_single_one() -> None:
    assert "full repositories: none is known" in problems(seen("A", role="partial"))
    [single] = [each for each in findings("C", [seen("A")]) if each.subject == "full repositories"]
    assert (single.state, "only A" in single.text) == ("note", True)


def test_channels_versions_identities_and_silence_are_told() -> None:
    down = seen("A", member("B", state="RETRYING"), errors={"C.B": "9202 no answer"})
    unknown = seen("A", member("SYSTEM.TEMPQMGR.h(1)", id="", channel="C.X"))
    again = seen("A", member("B"), member("B", id="B_2", channel="C.B2"))
    assert "A: cannot reach B: C.B is RETRYING: 9202 no answer" in problems(down)
    assert any("no answer of the full repository at h(1)" in each for each in problems(unknown))
    assert "B: is known twice: B_1, B_2" in problems(again)
    assert "A: is not started: nobody reaches it" in problems(seen("A", is_started=False))
    notes = [each.text for each in findings("C", [seen("A", member("Z")), seen("B", version="2")])]
    assert {"they differ: A 1, B 2", "not asked, so not compared: Z"} <= set(notes)


# -- three queue managers ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Group]:
    """LONDON, NEWYORK and PARIS, running in one home, in no cluster."""
    running = Group(tmp_path_factory.mktemp("three"), ("LONDON", "NEWYORK", "PARIS"))
    yield running
    running.stop()


@pytest.fixture
def cluster(three: Group, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command in the home of the three."""
    monkeypatch.setenv("PENSTOCK_HOME", str(three.home))

    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(application(["cluster"]), ["cluster", *words])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, " ".join(done.output.split()) if done.exit_code == 2 else done.output

    return run


def told(answer: tuple[int, str]) -> tuple[int, Any]:
    return answer[0], json.loads(answer[1])


@pytest.mark.installed
def test_a_cluster_of_three_is_made_used_checked_and_left(three: Group, cluster: Command) -> None:
    code, text = cluster("create", "INVENTORY", "LONDON", "--dry-run")
    assert (code, "ALTER QMGR REPOS(INVENTORY)" in text, three.members("LONDON")) == (0, True, {})

    # five commands
    assert cluster("create", "INVENTORY", "LONDON", "--address", three.address("LONDON"))[0] == 0
    code, text = cluster("join", "INVENTORY", "NEWYORK", "--through", "LONDON", "--full")
    assert (code, "NEWYORK is a full repository of INVENTORY." in text) == (0, True), text
    code, text = cluster("join", "INVENTORY", "PARIS", "--through", "LONDON")
    assert (code, "PARIS is a member of INVENTORY." in text) == (0, True), text
    for name in ("NEWYORK", "PARIS"):
        three.run(name, "DEFINE QLOCAL(STOCK) CLUSTER(INVENTORY) DEFBIND(NOTFIXED)")
    code, answer = told(cluster("check", "INVENTORY", "--wait", "60", "--json"))
    assert (code, answer["well"]) == (0, True), answer

    until(lambda: len(told(cluster("explain", "STOCK", "LONDON", "--json"))[1]["instances"]) == 2)
    code, rows = told(cluster("list", "INVENTORY", "-m", "LONDON", "--json"))
    assert {each["name"]: (each["role"], each["queues"]) for each in rows} == {
        "LONDON": ("full", 0),
        "NEWYORK": ("full", 1),
        "PARIS": ("partial", 1),
    }
    assert "partial repository of INVENTORY" in cluster("list", "-m", "PARIS")[1]
    _choice_is_explained(three, cluster)
    _refusals(cluster)
    _one_that_is_dead_is_found(three, cluster)
    _leaving(three, cluster)


def _choice_is_explained(three: Group, cluster: Command) -> None:
    code, text = cluster("explain", "STOCK", "LONDON")
    assert (code, "distributed over 2 instances" in text) == (0, True), text
    code, answer = told(cluster("explain", "STOCK", "PARIS", "--json"))
    assert [(row["qmgr"], row["chosen"]) for row in answer["instances"] if row["chosen"]] == [("PARIS", True)]
    three.run("PARIS", "ALTER QLOCAL(STOCK) PUT(DISABLED)")
    until(
        lambda: (
            "no PARIS INVENTORY INVENTORY.PARIS" in " ".join(cluster("explain", "STOCK", "LONDON")[1].split())
        )
    )
    assert "PUT(DISABLED) there" in cluster("explain", "STOCK", "LONDON")[1]
    shown = CliRunner().invoke(application(["resolve"]), ["resolve", "-m", "LONDON", "STOCK"])
    assert "no  PARIS by INVENTORY.PARIS (RUNNING): PUT(DISABLED) there" in shown.stdout
    assert "Messages go to 1 of 2 instances by SYSTEM.CLUSTER.TRANSMIT.QUEUE." in shown.stdout
    three["PARIS"].put("STOCK", b"")  # its own instance takes no messages, NEWYORK's does
    code, text = cluster("explain", "STOCK", "PARIS")
    assert (code, "All messages go to NEWYORK." in text) == (0, True), text
    three.run("PARIS", "ALTER QLOCAL(STOCK) PUT(ENABLED)")
    assert "not a cluster queue" in cluster("explain", "DLQ", "LONDON")[1]
    code, text = cluster("explain", "NOWHERE", "LONDON")
    assert (code, "leads nowhere" in text) == (1, True)
    asked: Any = AskedFirst(three["LONDON"])
    assert explained(asked, "STOCK")["leads"]


class AskedFirst:
    """A queue manager that asks the full repositories for its first route, and knows it then."""

    def __init__(self, qm: Any) -> None:
        self._qm = qm
        self._routes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._qm, name)

    def explain_route(self, queue: str) -> dict[str, Any]:
        self._routes += 1
        return self._qm.explain_route(queue) if self._routes > 1 else {"leads": False, "text": "not yet"}


def _refusals(cluster: Command) -> None:
    for words, text in (
        (("create", "INVENTORY", "PARIS"), "in cluster INVENTORY already"),
        (("create", "OTHER", "LONDON"), "REPOS has one name"),
        (("create", "A.CLUSTER.OF.LENGTH", "PARIS"), "at most 20"),
        (("join", "OTHER", "PARIS", "--through", "LONDON"), "LONDON is not in cluster OTHER"),
        (("join", "OTHER", "PARIS", "--through", "127.0.0.1(1)"), "--through-channel"),
        (("leave", "OTHER", "PARIS"), "PARIS is not in cluster OTHER"),
        (("check", "OTHER"), "is in cluster OTHER"),
    ):
        code, answer = cluster(*words)
        assert (code, text in answer.replace("│ ", "").replace(" │", "")) == (2, True), answer


def _one_that_is_dead_is_found(three: Group, cluster: Command) -> None:
    three.kill("PARIS")
    three["LONDON"].put("STOCK", b"", qmgr="PARIS")
    until(lambda: three.members("LONDON")["PARIS"]["STATUS"] == "RETRYING")
    code, text = cluster("check", "INVENTORY", "LONDON", "NEWYORK", "--wait", "0")
    assert (code, "LONDON: cannot reach PARIS: INVENTORY.PARIS is RETRYING" in text) == (1, True), text
    three.start("PARIS")
    three.run("LONDON", "START CHANNEL(INVENTORY.PARIS) IGNSTATE(YES)")  # it may have retried
    until(lambda: three.depth("PARIS", "STOCK") == 1)


def _a_repository_that_does_not_answer(cluster: Command) -> None:
    """What waits for it is named; it does not hinder leaving another cluster by the same queue."""
    nobody = ("--through", "127.0.0.1(1)", "--through-channel", "OTHER.X", "--wait", "0")
    code, text = cluster("join", "OTHER", "PARIS", *nobody)
    assert (code, "OTHER.X has no answer yet" in text) == (1, True), text
    code, text = cluster("check", "OTHER", "PARIS", "--wait", "0")
    assert (code, "none is known" in text) == (1, True), text
    code, text = cluster("leave", "OTHER", "PARIS")
    assert (code, "messages wait on SYSTEM.CLUSTER.TRANSMIT.QUEUE" in text) == (2, True), text
    code, text = cluster("leave", "OTHER", "PARIS", "--force", "--wait", "0")
    assert (code, "do not all know yet" in text) == (1, True), text
    code, text = cluster("leave", "OTHER", "PARIS")
    assert (code, "PARIS is not in cluster OTHER" in text) == (2, True), text


def _leaving(three: Group, cluster: Command) -> None:
    code, text = cluster("leave", "INVENTORY", "PARIS", "--wait", "60")
    assert (code, "PARIS has left INVENTORY." in text, "1 messages stay on STOCK" in text) == (
        0,
        True,
        True,
    ), text
    assert ["PARIS" in three.members(name) for name in ("LONDON", "NEWYORK", "PARIS")] == [False] * 3
    assert cluster("check", "INVENTORY", "PARIS", "LONDON", "--wait", "0")[0] == 1
    assert cluster("leave", "INVENTORY", "NEWYORK", "--wait", "60")[0] == 0
    assert cluster("join", "INVENTORY", "PARIS", "--through", "LONDON")[0] == 0
    assert "only full repository" in cluster("leave", "INVENTORY", "LONDON")[1].replace("│ ", "").replace(
        " │", ""
    )
    _a_repository_that_does_not_answer(cluster)
    assert cluster("join", "INVENTORY", "NEWYORK", "--through", "LONDON", "--full")[0] == 0
    code, text = cluster("leave", "INVENTORY", "LONDON", "--wait", "60")
    assert code == 0, text
    senders = [row["CHANNEL"] for row in own_channels(three["PARIS"], "INVENTORY", "CLUSSDR")]
    assert senders == ["INVENTORY.NEWYORK"], text  # it had joined through LONDON
    assert cluster("leave", "INVENTORY", "PARIS", "--wait", "60")[0] == 0
    assert cluster("leave", "INVENTORY", "NEWYORK", "--wait", "60")[0] == 0
    assert "in no cluster" in cluster("list", "-m", "LONDON")[1]


@pytest.mark.installed
def test_a_queue_manager_that_is_not_started_cannot_join(penstock_home: Path) -> None:
    penstock.embed("ALONE", create=True).close()
    words = [
        "cluster",
        "join",
        "C",
        "ALONE",
        "--through",
        "h(1)",
        "--through-channel",
        "C.X",
        "--address",
        "h(2)",
    ]
    done = CliRunner().invoke(application(["cluster"]), words)
    assert (done.exit_code, "not started" in done.output) == (2, True)
