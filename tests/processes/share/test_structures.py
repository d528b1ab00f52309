"""Definitions of a group reach its members, large bodies go where the structure says, and come back whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members, members


@pytest.fixture
def group(facility: str, tmp_path: Path) -> Any:
    with members(facility, tmp_path, "QM1", "QM2") as found:
        yield found


def shared(group: Members, words: str, tmp_path: Path, queue: str = "BIG") -> tuple[Any, Any]:
    """Define a structure and a queue at QM1; return both members when QM2 has them."""
    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc(f"DEFINE CFSTRUCT(APPL1) RECOVER(YES) {words.format(tmp_path)}", check=True)
    one.mqsc(f"DEFINE QLOCAL({queue}) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
    until(lambda: queue in two.engine.queues)
    return one, two


def displayed(qm: Any, command: str) -> dict[str, Any]:
    (reply,) = qm.mqsc(command)
    return dict(reply.attributes or {})


SMDS = "OFFLOAD(SMDS) DSGROUP('{}/smds/*/APPL1') DSBLOCK(64K)"
PLACES = {
    "SMDS": (SMDS, 2),
    "DB2": ("OFFLOAD(DB2)", 1),
    "OBJECT": ("OFFLOAD(OBJECT) DSGROUP('file://{}/objects/*')", 3),
}


@pytest.mark.parametrize("kind", PLACES)
def test_a_large_body_is_offloaded_and_got_whole_at_the_other_member(
    group: Members, tmp_path: Path, kind: str
) -> None:
    words, place = PLACES[kind]
    one, two = shared(group, words, tmp_path)
    bodies = [bytes([number]) * 100_000 for number in range(5)]
    for body in bodies:
        one.put("BIG", body)
    one.put("BIG", b"small")
    assert group.rows("select place from p order by seq") == [(place,)] * 5 + [(0,)]
    assert [two.get("BIG").body for _ in bodies] == bodies
    assert two.get("BIG").body == b"small"
    until(lambda: group.rows("select count(*) from released") == [(0,)])  # the owner has freed them
    until(lambda: group.rows("select count(*) from body") == [(0,)])
    until(lambda: not [path for path in (tmp_path / "objects").rglob("*") if path.is_file()])


def test_offload_switches_in_the_middle_and_all_messages_stay_readable(
    group: Members, tmp_path: Path
) -> None:
    one, two = shared(group, SMDS, tmp_path)
    one.put("BIG", b"a" * 100_000)
    one.mqsc("ALTER CFSTRUCT(APPL1) OFFLOAD(DB2)", check=True)
    one.put("BIG", b"b" * 100_000)
    assert displayed(one, "DISPLAY CFSTATUS(APPL1)")["OFFLDUSE"] == "BOTH"
    one.mqsc("ALTER CFSTRUCT(APPL1) OFFLOAD(SMDS)", check=True)
    one.put("BIG", b"c" * 100_000)
    assert [place for (place,) in group.rows("select place from p order by seq")] == [2, 1, 2]
    assert [two.get("BIG").body[:1] for _ in range(3)] == [b"a", b"b", b"c"]


def test_a_backed_out_get_of_an_offloaded_message_is_got_again(group: Members, tmp_path: Path) -> None:
    one, two = shared(group, SMDS, tmp_path)
    one.put("BIG", b"x" * 100_000)
    with two.unit_of_work() as unit:
        assert len(two.get("BIG").body) == 100_000
        unit.backout()
    assert one.get("BIG").body == b"x" * 100_000


def test_after_a_crash_the_space_map_is_rebuilt_from_the_structure(group: Members, tmp_path: Path) -> None:
    one, two = shared(group, SMDS, tmp_path)
    for number in range(10):
        one.put("BIG", bytes([number]) * 100_000)
    for _ in range(3):
        two.get("BIG")
    one.host.abandon()
    group.here.pop("QM1")
    again = group.start("QM1")
    again.put("BIG", b"new" * 40_000)
    log = (again.host.folder.errors / "AMQERR01.LOG").read_text()
    assert "space map will be rebuilt by scanning the structure" in log
    assert "space map has been rebuilt, message count 7" in log
    assert [two.get("BIG").body[0] for _ in range(7)] == list(range(3, 10))
    assert two.get("BIG").body == b"new" * 40_000


def test_a_missing_data_set_fails_its_structure_until_it_is_recovered(group: Members, tmp_path: Path) -> None:
    one, two = shared(group, SMDS + " RECAUTO(NO)", tmp_path)
    for number in range(4):
        one.put("BIG", bytes([number]) * 100_000)
    assert "CSQE121I" in one.mqsc("BACKUP CFSTRUCT(APPL1)")[0].text
    assert displayed(two, "DISPLAY CFSTATUS(APPL1) TYPE(BACKUP)")["QMNAME"] == "QM1"
    (tmp_path / "smds" / "QM1" / "APPL1").unlink()
    with pytest.raises(MQError, match="2561"):
        two.get("BIG")
    assert one.mqsc("RESET SMDS(QM1) CFSTRUCT(APPL1) STATUS(FAILED)")[0].ok
    assert displayed(two, "DISPLAY CFSTATUS(APPL1)")["STATUS"] == "FAILED"
    with pytest.raises(MQError, match="2373"):
        one.put("BIG", b"y" * 100_000)
    assert "4 restored" in one.mqsc("RECOVER CFSTRUCT(APPL1) TYPE(NORMAL)")[0].text
    assert displayed(one, "DISPLAY CFSTATUS(APPL1) TYPE(SMDS)")["STATUS"] == "RECOVERED"
    until(lambda: two.host.sharing.commands.bodies.states["APPL1"].state == "ACTIVE")
    assert [two.get("BIG").body[0] for _ in range(4)] == [0, 1, 2, 3]
    one.put("BIG", b"z" * 100_000)
    assert two.get("BIG").body == b"z" * 100_000


def test_a_recovery_that_would_lose_a_message_is_refused_and_purge_empties(
    group: Members, tmp_path: Path
) -> None:
    one, _two = shared(group, SMDS + " RECAUTO(NO)", tmp_path)
    one.put("BIG", b"x" * 100_000)
    assert one.mqsc("RECOVER CFSTRUCT(APPL1)")[0].failed  # it has not failed
    (tmp_path / "smds" / "QM1" / "APPL1").unlink()
    one.mqsc("RESET SMDS(QM1) CFSTRUCT(APPL1) STATUS(FAILED)", check=True)
    (reply,) = one.mqsc("RECOVER CFSTRUCT(APPL1)")
    assert reply.failed
    assert "1 messages of structure APPL1 are in no backup" in reply.text
    assert displayed(one, "DISPLAY CFSTATUS(APPL1)")["STATUS"] == "FAILED"
    assert "1 messages removed" in one.mqsc("RECOVER CFSTRUCT(APPL1) TYPE(PURGE)")[0].text
    assert one.get("BIG") is None
    one.put("BIG", b"x" * 100_000)
    assert len(one.get("BIG").body) == 100_000


def test_a_failed_structure_recovers_itself_with_recauto(group: Members, tmp_path: Path) -> None:
    one, two = shared(group, SMDS + " RECAUTO(YES)", tmp_path)
    one.put("BIG", b"x" * 100_000)
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    two.mqsc("RESET SMDS(QM1) CFSTRUCT(APPL1) STATUS(FAILED)", check=True)
    until(lambda: displayed(two, "DISPLAY CFSTATUS(APPL1)")["STATUS"] == "ACTIVE")
    assert two.get("BIG").body == b"x" * 100_000


def test_a_full_structure_and_a_structure_without_recovery_refuse_puts(
    group: Members, tmp_path: Path
) -> None:
    one = group.here["QM1"]
    one.mqsc("DEFINE CFSTRUCT(TINY) RECOVER(NO) SIZE(1M)", check=True)
    one.mqsc("DEFINE QLOCAL(T) QSGDISP(SHARED) CFSTRUCT(TINY)", check=True)
    with pytest.raises(MQError, match="2048"):
        one.put("T", b"lasting", persistent=True)
    puts = (one.put("T", b"x" * 30_000, persistent=False) for _ in range(200))
    with pytest.raises(MQError, match="2192"):
        list(puts)


def test_a_definition_made_while_the_group_is_read_stays(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc("DEFINE CFSTRUCT(S) RECOVER(NO)", check=True)
    one.mqsc("DEFINE QLOCAL(OLD) QSGDISP(SHARED) CFSTRUCT(S)", check=True)
    until(lambda: "OLD" in two.engine.queues)
    commands = one.engine.group
    read = commands.repository.all
    seen: list[bool] = []

    def change_after_reading() -> Any:
        found = read()
        monkeypatch.setattr(commands.repository, "all", read)
        one.mqsc("DEFINE QLOCAL(NEW) QSGDISP(SHARED) CFSTRUCT(S)", check=True)
        one.mqsc("DELETE QLOCAL(OLD) QSGDISP(SHARED)", check=True)
        seen.append(any(each.name == "NEW" for each in found))
        return found

    monkeypatch.setattr(commands.repository, "all", change_after_reading)
    two.mqsc("DEFINE QLOCAL(OTHER) QSGDISP(SHARED) CFSTRUCT(S)", check=True)
    until(lambda: seen == [False])
    with commands._refresh_lock:  # what was read is in force
        assert {"NEW", "OLD"} & set(one.engine.queues) == {"NEW"}
    until(lambda: {"NEW", "OTHER"} <= set(one.engine.queues))


def test_every_display_tells_of_both_members(group: Members, tmp_path: Path) -> None:
    one, two = shared(group, SMDS, tmp_path)
    one.put("BIG", b"x" * 100_000)
    two.put("BIG", b"y" * 100_000)
    assert two.get("BIG").body == b"x" * 100_000
    assert two.get("BIG").body == b"y" * 100_000  # from its buffers
    names = [reply.attributes["QMNAME"] for reply in one.mqsc("DISPLAY GROUP")]
    assert names == ["QM1", "QM2"]
    summary = displayed(one, "DISPLAY CFSTATUS(APPL1)")
    assert (summary["STATUS"], summary["OFFLDUSE"], summary["SIZEMAX"]) == ("ACTIVE", "SMDS", 524288)
    assert len(one.mqsc("DISPLAY CFSTATUS(APPL1) TYPE(CONNECT)")) == 2
    assert [r.attributes["SMDS"] for r in one.mqsc("DISPLAY CFSTATUS(*) TYPE(SMDS)")] == ["QM1", "QM2"]
    own = displayed(two, "DISPLAY SMDSCONN(QM2) CFSTRUCT(APPL1)")
    assert (own["OPENMODE"], own["STATUS"], own["AVAIL"]) == ("UPDATE", "OPEN", "NORMAL")
    other = displayed(two, "DISPLAY SMDSCONN(QM1) CFSTRUCT(APPL1)")
    assert (other["OPENMODE"], other["STATUS"]) == ("READONLY", "OPEN")
    usage = displayed(two, "DISPLAY USAGE TYPE(SMDS)")
    assert (usage["CFSTRUCT"], usage["BLOCKSIZE"], usage["READSSAVED"]) == ("APPL1", "64K", 100)
    one.mqsc("ALTER SMDS(QM1) CFSTRUCT(APPL1) DSBUFS(7) DSEXPAND(NO)", check=True)
    settings = displayed(two, "DISPLAY SMDS(QM1) CFSTRUCT(APPL1)")
    assert (settings["DSBUFS"], settings["DSEXPAND"]) == ("7", "NO")
    until(lambda: one.host.sharing.commands.bodies.data_sets("APPL1").buffers.buffers == 7)


@pytest.mark.parametrize("owner", ["QM1", "QM2"])
def test_a_stopped_connection_keeps_a_data_set_closed_at_one_member(
    group: Members, tmp_path: Path, owner: str
) -> None:
    """Of its own data set, and of another member's; the other member goes on, and nothing is lost."""
    one, two = shared(group, SMDS, tmp_path)
    group.here[owner].put("BIG", b"x" * 100_000)
    display = f"DISPLAY SMDSCONN({owner}) CFSTRUCT(APPL1)"
    two.mqsc(f"STOP SMDSCONN({owner}) CFSTRUCT(APPL1)", check=True)
    shown = displayed(two, display)
    assert (shown["OPENMODE"], shown["STATUS"], shown["AVAIL"]) == ("NONE", "CLOSED", "STOPPED")
    if owner == "QM2":
        with pytest.raises(MQError, match=r"2561.*START SMDSCONN"):
            two.put("BIG", b"y" * 100_000)
        assert one.get("BIG").body == b"x" * 100_000
        one.put("BIG", b"x" * 100_000)
    else:
        with pytest.raises(MQError, match=r"2561.*START SMDSCONN"):
            two.get("BIG")
    assert displayed(one, "DISPLAY CFSTATUS(APPL1)")["STATUS"] == "ACTIVE"
    two.mqsc(f"START SMDSCONN({owner}) CFSTRUCT(APPL1)", check=True)
    assert displayed(two, display)["AVAIL"] == "NORMAL"
    two.put("BIG", b"y" * 100_000)
    assert [two.get("BIG").body[:1] for _ in range(2)] == [b"x", b"y"]


def test_a_group_object_is_copied_changed_and_deleted_at_every_member(group: Members) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    two.mqsc("DEFINE QLOCAL(PRIVATE)", check=True)
    one.mqsc("DEFINE QLOCAL(G) QSGDISP(GROUP) MAXDEPTH(9)\nDEFINE QLOCAL(PRIVATE) QSGDISP(GROUP)", check=True)
    until(lambda: "G" in two.engine.queues)
    assert displayed(two, "DISPLAY QLOCAL(G) QSGDISP MAXDEPTH")["QSGDISP"] == "COPY"
    assert displayed(two, "DISPLAY QLOCAL(PRIVATE) QSGDISP")["QSGDISP"] == "QMGR"  # its own is kept
    two.mqsc("ALTER QLOCAL(G) QSGDISP(GROUP) MAXDEPTH(10)", check=True)
    until(lambda: displayed(one, "DISPLAY QLOCAL(G) MAXDEPTH")["MAXDEPTH"] == 10)
    one.mqsc("DELETE QLOCAL(G) QSGDISP(GROUP)", check=True)
    until(lambda: "G" not in two.engine.queues)


def test_a_group_object_is_defined_though_this_member_copies_it_first(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    commands = one.host.sharing.commands
    store = commands.repository.store

    def store_and_copy(*given: Any) -> None:
        store(*given)
        commands.refresh()  # as the thread that follows the group may do at this moment

    monkeypatch.setattr(commands.repository, "store", store_and_copy)
    one.mqsc("DEFINE QLOCAL(G) QSGDISP(GROUP) MAXDEPTH(9)", check=True)
    assert displayed(one, "DISPLAY QLOCAL(G) QSGDISP MAXDEPTH")["MAXDEPTH"] == 9
    one.mqsc("DEFINE QLOCAL(OWN)", check=True)
    assert one.mqsc("DEFINE QLOCAL(OWN) QSGDISP(GROUP)")[0].reason == 2100
    commands.refresh()
    two.host.sharing.commands.refresh()
    assert "OWN" not in two.engine.queues  # a refused command leaves nothing in the group


def test_members_can_copy_the_group_between_any_two_statements_of_a_definition(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = group.here["QM1"].host.sharing.commands
    execute, looked = commands.facility.execute, []

    def execute_and_look(statement: str, *given: Any) -> Any:
        done = execute(statement, *given)
        if "insert into" in statement:
            monkeypatch.undo()  # what is looked up is no step of the definition
            commands._generation = (-1, 0, 0)
            commands.refresh()
            looked.append(statement)
            monkeypatch.setattr(commands.facility, "execute", execute_and_look)
        return done

    monkeypatch.setattr(commands.facility, "execute", execute_and_look)
    commands.repository.store("CFSTRUCT", "APPL9", "SHARED", {"RECOVER": "YES"}, True)
    monkeypatch.undo()
    assert len(looked) == 2


def test_a_shared_queue_with_messages_is_deleted_only_with_purge(group: Members, tmp_path: Path) -> None:
    one, two = shared(group, "", tmp_path, "Q")
    two.put("Q", b"x")
    assert one.mqsc("DELETE QLOCAL(Q)")[0].reason == 2055
    assert one.mqsc("DELETE CFSTRUCT(APPL1)")[0].reason == 2042
    one.mqsc("DELETE QLOCAL(Q) PURGE", check=True)
    until(lambda: "Q" not in two.engine.queues)
    assert group.rows("select count(*) from p") == [(0,)]


def test_definitions_are_there_again_after_a_restart(group: Members, tmp_path: Path) -> None:
    one, _two = shared(group, SMDS, tmp_path)
    one.put("BIG", b"x" * 100_000)
    one.close()
    again = group.start("QM1")
    assert displayed(again, "DISPLAY CFSTRUCT(APPL1)")["OFFLOAD"] == "SMDS"
    assert again.get("BIG").body == b"x" * 100_000


def test_a_data_set_without_access_is_neither_read_nor_written(group: Members, tmp_path: Path) -> None:
    one, two = shared(group, SMDS, tmp_path)
    one.put("BIG", b"x" * 100_000)
    one.mqsc("RESET SMDS(QM1) CFSTRUCT(APPL1) ACCESS(DISABLED)", check=True)
    with pytest.raises(MQError, match="2561"):
        one.put("BIG", b"y" * 100_000)
    until(lambda: "QM1" in two.host.sharing.commands.bodies.data_sets("APPL1").disabled)
    with pytest.raises(MQError, match="2561"):
        two.get("BIG")
    two.mqsc("RESET SMDS(QM1) CFSTRUCT(APPL1) ACCESS(ENABLED)", check=True)
    assert two.get("BIG").body == b"x" * 100_000


def test_cfconlos_of_a_structure_decides_whether_the_queue_manager_stops(group: Members) -> None:
    one = group.here["QM1"]
    one.mqsc("DEFINE CFSTRUCT(A) CFLEVEL(3)", check=True)
    assert not one.host.sharing.commands.must_stop()
    one.mqsc("ALTER QMGR CFCONLOS(TERMINATE)", check=True)
    assert one.host.sharing.commands.must_stop()
    one.mqsc("ALTER CFSTRUCT(A) CFCONLOS(TOLERATE)", check=True)
    assert not one.host.sharing.commands.must_stop()


def test_a_command_for_another_member_is_carried_out_there(group: Members) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    (reply,) = one.mqsc("DEFINE QLOCAL(THERE) CMDSCOPE(QM2)", check=True)
    assert reply.text.startswith("QM2:")
    assert "AMQ8006I" in reply.text
    assert two.mqsc("DISPLAY QLOCAL(THERE)", check=True)[0].attributes["QUEUE"] == "THERE"
    assert one.mqsc("DISPLAY QLOCAL(THERE)")[0].failed
    (reply,) = one.mqsc("DEFINE QLOCAL(THERE) CMDSCOPE(QM2)")
    assert reply.failed
    assert "already exists" in reply.text


def test_a_command_for_all_members_is_carried_out_by_each(group: Members) -> None:
    one = group.here["QM1"]
    replies = one.mqsc("DEFINE QLOCAL(ALL) CMDSCOPE(*)", check=True)
    assert [reply.text.split(":")[0] for reply in replies] == ["QM1", "QM2"]
    for qm in group.here.values():
        qm.mqsc("DISPLAY QLOCAL(ALL)", check=True)
    assert group.rows("select count(*) from command") == [(0,)]


def test_a_command_for_nobody_or_of_the_group_is_refused(group: Members) -> None:
    one = group.here["QM1"]
    (reply,) = one.mqsc("PING QMGR CMDSCOPE(QM9)")
    assert reply.failed
    assert "no active member" in reply.text
    replies = one.mqsc("DEFINE QLOCAL(S) QSGDISP(SHARED) CFSTRUCT(A) CMDSCOPE(QM2)")
    assert replies[0].failed
    assert any("without CMDSCOPE" in reply.text for reply in replies)
    assert group.rows("select count(*) from object where name = 'S'") == [(0,)]
