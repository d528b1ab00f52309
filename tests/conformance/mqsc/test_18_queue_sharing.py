"""Clause 18: queue-sharing groups. Structures, dispositions and displays, with and without a group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

import pytest

import penstock
from penstock.admin.group import GroupObject, MemberAnswer
from penstock.admin.machinery import Request
from penstock.admin.mqsc import transcript
from penstock.model import status
from penstock.model.errors import error
from penstock.qmgr.objects import Definition

SEED_SCRIPT = """
DEFINE CFSTRUCT(APPLICATION1) CFLEVEL(5) RECOVER(YES) OFFLOAD(SMDS) +
  OFFLD1TH(0) OFFLD1SZ(0K) OFFLD2TH(0) OFFLD2SZ(0K) OFFLD3TH(0) OFFLD3SZ(0K) +
  DSGROUP('/shared/mq/*/APPL1') DSBLOCK(256K) DSBUFS(100) DSEXPAND(YES) RECAUTO(YES)
"""
STRUCTURE = "DEFINE CFSTRUCT(APPL1) DSGROUP('/shared/*/A')"


class GroupDouble:
    """A group in memory."""

    name = "QSG1"

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.kept: dict[tuple[str, str], GroupObject] = {}
        self.asked: list[Any] = []

    def store(self, definition: GroupObject, *, new: bool) -> GroupObject:
        key = definition.kind, definition.name
        if new and key in self.kept:
            raise error(2100, f"{definition.name} exists already")
        self.kept[key] = definition
        return definition

    def apply(self, definition: GroupObject) -> None:
        self.engine.objects.put(
            Definition(definition.kind, definition.name, dict(definition.attributes), (1 << 40) + 1)
        )

    def remove(self, kind: str, name: str, *, purge: bool) -> None:
        del self.kept[kind, name]

    def drop(self, kind: str, name: str) -> None:
        space = "CFSTRUCT" if kind == "CFSTRUCT" else "QUEUE"
        self.engine.objects.remove(self.engine.objects.find(space, name))

    def find(self, kind: str, name: str) -> GroupObject | None:
        return self.kept.get((kind, name))

    def matching(self, kind: str, pattern: str) -> Sequence[GroupObject]:
        return [each for (of, name), each in self.kept.items() if of == kind and fnmatchcase(name, pattern)]

    def rows(self, what: str, name: str, structure: str) -> Sequence[status.Row]:
        self.asked.append((what, name, structure))
        return [
            {
                "GROUP": status.GroupMemberStatus(group="QSG1", qmname="QM1", status="ACTIVE"),
                "CFSTATUS SUMMARY": status.StructureStatus(cfstatus="APPL1", sizemax=524288, entsused=33),
                "CFSTATUS SMDS": status.StructureDataSetStatus(cfstatus="APPL1", smds="QM1"),
                "CFSTATUS CONNECT": status.StructureConnectionStatus(cfstatus="APPL1", qmname="QM1"),
                "CFSTATUS BACKUP": status.StructureBackupStatus(cfstatus="APPL1", qmname="QM1"),
                "SMDS": status.DataSetSettings(smds="QM1", cfstruct="APPL1"),
                "SMDSCONN": status.DataSetConnectionStatus(smdsconn="QM1", cfstruct="APPL1"),
                "USAGE": status.DataSetUsage(cfstruct="APPL1", blocksize="256K"),
            }[what]
        ]

    def act(self, request: Request) -> Sequence[str]:
        self.asked.append(request)
        return ["CSQE120I Backup of structure APPL1 started."]

    def send(self, text: str, member: str) -> Sequence[MemberAnswer]:
        self.asked.append((text, member))
        return [MemberAnswer("QM2", "AMQ8415I: Ping Penstock Queue Manager command complete.")]


@pytest.fixture
def group(qm: penstock.QueueManager) -> Iterator[GroupDouble]:
    found = GroupDouble(qm.engine)
    qm.engine.group = found
    yield found
    qm.engine.group = None


@pytest.mark.parametrize(
    "command",
    [
        STRUCTURE,
        "DEFINE QLOCAL(Q) QSGDISP(SHARED) CFSTRUCT(APPL1)",
        "DEFINE QLOCAL(Q) QSGDISP(GROUP)",
        "DEFINE QLOCAL(Q) QSGDISP(COPY)",
        "DEFINE QLOCAL(Q) CFSTRUCT(APPL1)",
        "DEFINE QLOCAL(Q) INDXTYPE(CORRELID)",
        "DEFINE NAMELIST(N) QSGDISP(GROUP)",
        "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) INDXTYPE(MSGID)",
        "DISPLAY GROUP",
        "DISPLAY CFSTATUS(*)",
        "DISPLAY CFSTATUS(*) TYPE(BACKUP)",
        "DISPLAY SMDS(*) CFSTRUCT(*)",
        "DISPLAY SMDSCONN(*) CFSTRUCT(*)",
        "DISPLAY USAGE TYPE(SMDS)",
        "BACKUP CFSTRUCT(APPL1) EXCLINT(30)",
        "RECOVER CFSTRUCT(APPL1) TYPE(PURGE)",
        "RESET CFSTRUCT(APPL1) ACTION(FAIL)",
        "RESET SMDS(QM1) CFSTRUCT(APPL1) ACCESS(ENABLED)",
        "PING QMGR CMDSCOPE(QM2)",
        "DISPLAY QLOCAL(*) CMDSCOPE(*)",
    ],
)
def test_without_a_group_every_word_of_it_is_refused_by_name(qm: penstock.QueueManager, command: str) -> None:
    (reply,) = qm.mqsc(command)
    assert reply.failed
    assert "in no queue-sharing group" in reply.text
    assert "refused" in reply.text


def test_a_dump_with_the_defaults_of_a_single_queue_manager_loads(qm: penstock.QueueManager) -> None:
    replies = qm.mqsc(
        "DEFINE QLOCAL(Q) QSGDISP(QMGR) CFSTRUCT(' ') INDXTYPE(NONE) CMDSCOPE(' ')\n"
        "DEFINE NAMELIST(N) QSGDISP(QMGR) CMDSCOPE(QM1)\n"
        "DEFINE LISTENER(L) TRPTYPE(TCP) QSGDISP(QMGR)\n"
        "ALTER QLOCAL(Q) DESCR('x') QSGDISP(QMGR)\n"
        "DELETE QLOCAL(Q) QSGDISP(QMGR)"
    )
    assert not any(reply.failed for reply in replies)


def test_a_display_without_a_group_is_as_it_was(qm: penstock.QueueManager) -> None:
    (reply,) = qm.mqsc("DISPLAY QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) ALL")
    assert not {"QSGDISP", "CFSTRUCT", "INDXTYPE"} & reply.attributes.keys()
    (named,) = qm.mqsc("DISPLAY QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) QSGDISP INDXTYPE")
    assert (named.attributes["QSGDISP"], named.attributes["INDXTYPE"]) == ("QMGR", "NONE")


def test_the_definition_of_the_seed_is_shown_with_its_attributes_in_order(
    qm: penstock.QueueManager, group: GroupDouble
) -> None:
    qm.mqsc(SEED_SCRIPT, check=True)
    (reply,) = qm.mqsc("DISPLAY CFSTRUCT(APPLICATION1)")
    assert list(reply.attributes) == [
        *("CFSTRUCT", "DESCR", "CFLEVEL", "RECOVER", "OFFLOAD", "OFFLD1TH", "OFFLD1SZ", "OFFLD2TH"),
        *("OFFLD2SZ", "OFFLD3TH", "OFFLD3SZ", "DSGROUP", "DSBLOCK", "DSBUFS", "DSEXPAND", "RECAUTO"),
        *("CFCONLOS", "SIZE", "ALTDATE", "ALTTIME"),
    ]
    assert reply.attributes["OFFLD1SZ"] == "0K"
    assert reply.attributes["CFCONLOS"] == "ASQMGR"
    assert group.kept["CFSTRUCT", "APPLICATION1"].attributes["SIZE"] == "512M"


@pytest.mark.parametrize(
    ("words", "offload", "size"),
    [
        ("DSGROUP('/s/*/x')", "SMDS", "32K"),
        ("", "DB2", "64K"),
        ("CFLEVEL(3) RECOVER(YES)", "NONE", "64K"),
        ("DSGROUP('s3://b/*')", "OBJECT", "32K"),
    ],
)
def test_offload_follows_level_and_data_sets_unless_given(
    qm: penstock.QueueManager, group: GroupDouble, words: str, offload: str, size: str
) -> None:
    qm.mqsc(f"DEFINE CFSTRUCT(A) {words}", check=True)
    found = group.kept["CFSTRUCT", "A"].attributes
    assert (found["OFFLOAD"], found["OFFLD1SZ"]) == (offload, size)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("CFLEVEL(6)", "CFLEVEL"),
        ("CFLEVEL(2) RECOVER(YES)", r"needs CFLEVEL\(3\)"),
        ("CFLEVEL(4) OFFLOAD(SMDS) DSGROUP('/s/*/x')", r"needs CFLEVEL\(5\)"),
        ("OFFLOAD(SMDS)", "needs DSGROUP"),
        ("OFFLOAD(SMDS) DSGROUP('/s/x')", r"one \*"),
        ("OFFLOAD(OBJECT) DSGROUP('/s/*')", "URL"),
        ("SIZE(12)", "1M to 16T"),
        ("SIZE(BIG)", "K, M, G or T"),
        ("DSBLOCK(7K)", "DSBLOCK"),
        ("OFFLD1TH(101)", "OFFLD1TH"),
        ("DSBUFS(0)", "DSBUFS"),
    ],
)
def test_a_structure_that_makes_no_sense_is_refused(
    qm: penstock.QueueManager, group: GroupDouble, words: str, why: str
) -> None:
    import re

    replies = qm.mqsc(f"DEFINE CFSTRUCT(A) {words}")
    assert replies[0].failed
    assert re.search(why, replies[0].text)
    assert not group.kept


def test_names_of_structures_are_short_and_plain(qm: penstock.QueueManager, group: GroupDouble) -> None:
    for name in ("A.B", "APPLICATION12", "1A", "'a'"):
        assert qm.mqsc(f"DEFINE CFSTRUCT({name}) CFLEVEL(3)")[0].failed, name


def test_a_shared_queue_is_kept_by_the_group_and_not_by_the_journal(
    qm: penstock.QueueManager, group: GroupDouble
) -> None:
    qm.mqsc(STRUCTURE, check=True)
    qm.mqsc("DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APPL1) INDXTYPE(CORRELID)", check=True)
    assert group.kept["QLOCAL", "ORDERS"].disposition == "SHARED"
    (reply,) = qm.mqsc("DISPLAY QLOCAL(ORDERS) QSGDISP CFSTRUCT INDXTYPE")
    assert reply.attributes["QSGDISP"] == "SHARED"
    qm.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(7)", check=True)
    assert group.kept["QLOCAL", "ORDERS"].attributes["MAXDEPTH"] == 7
    assert qm.mqsc("DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APPL1)")[0].reason == 2100
    assert qm.mqsc("DELETE CFSTRUCT(APPL1)")[0].reason == 2042
    qm.mqsc("DELETE QLOCAL(ORDERS)", check=True)
    qm.mqsc("DELETE CFSTRUCT(APPL1)", check=True)
    assert not group.kept


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("QSGDISP(SHARED)", "needs CFSTRUCT"),
        ("QSGDISP(SHARED) CFSTRUCT(OTHER)", "not defined"),
        ("CFSTRUCT(APPL1)", "for shared queues"),
        ("INDXTYPE(MSGID)", "for shared queues"),
        ("QSGDISP(SHARED) CFSTRUCT(APPL1) INDXTYPE(MSGTOKEN)", "no message tokens"),
        ("QSGDISP(COPY)", "made by the group"),
    ],
)
def test_a_shared_queue_that_makes_no_sense_is_refused(
    qm: penstock.QueueManager, group: GroupDouble, words: str, why: str
) -> None:
    qm.mqsc(STRUCTURE, check=True)
    (reply,) = qm.mqsc(f"DEFINE QLOCAL(Q) {words}")
    assert reply.failed
    assert why in reply.text
    assert qm.engine.objects.find("QUEUE", "Q") is None


def test_a_group_object_is_a_copy_here_and_altered_for_all(
    qm: penstock.QueueManager, group: GroupDouble
) -> None:
    qm.mqsc("DEFINE QLOCAL(G) QSGDISP(GROUP) MAXDEPTH(10)\nDEFINE PROCESS(P) QSGDISP(GROUP)", check=True)
    assert qm.mqsc("DISPLAY QLOCAL(G) QSGDISP")[0].attributes["QSGDISP"] == "COPY"
    qm.mqsc("ALTER QLOCAL(G) QSGDISP(GROUP) MAXDEPTH(20)", check=True)
    assert group.kept["QLOCAL", "G"].attributes["MAXDEPTH"] == 20
    assert group.kept["QLOCAL", "G"].disposition == "GROUP"
    assert qm.mqsc("DISPLAY QLOCAL(G) MAXDEPTH")[0].attributes["MAXDEPTH"] == 20
    (of_group,) = qm.mqsc("DISPLAY QLOCAL(*) QSGDISP(GROUP)")
    assert of_group.attributes["QSGDISP"] == "GROUP"
    copies = qm.mqsc("DISPLAY QLOCAL(*) QSGDISP(COPY)")
    assert [reply.attributes["QUEUE"] for reply in copies] == ["G"]
    assert "DEFINE QLOCAL(G)" not in qm.export()
    qm.mqsc("DELETE QLOCAL(G) QSGDISP(GROUP)", check=True)
    assert ("QLOCAL", "G") not in group.kept


@pytest.mark.parametrize(
    ("command", "head"),
    [
        ("DISPLAY GROUP", {"GROUP": "QSG1", "QMNAME": "QM1", "STATUS": "ACTIVE"}),
        ("DISPLAY CFSTATUS(*)", {"CFSTATUS": "APPL1", "TYPE": "SUMMARY", "ENTSUSED": 33}),
        ("DISPLAY CFSTATUS(APPL1) TYPE(CONNECT)", {"TYPE": "CONNECT", "QMNAME": "QM1"}),
        ("DISPLAY CFSTATUS(APPL1) TYPE(BACKUP)", {"TYPE": "BACKUP", "BKUPSIZE": 0}),
        ("DISPLAY CFSTATUS(APPL1) TYPE(SMDS)", {"SMDS": "QM1", "ACCESS": "ENABLED"}),
        ("DISPLAY SMDS(QM1) CFSTRUCT(APPL1) ALL", {"DSBUFS": "DEFAULT", "DSEXPAND": "DEFAULT"}),
        ("DISPLAY SMDSCONN(QM1) CFSTRUCT(APPL1)", {"OPENMODE": "NONE", "EXPANDST": "NORMAL"}),
        ("DISPLAY USAGE TYPE(SMDS)", {"CFSTRUCT": "APPL1", "BLOCKSIZE": "256K"}),
    ],
)
def test_every_display_of_a_group_has_its_fields(
    qm: penstock.QueueManager, group: GroupDouble, command: str, head: dict[str, Any]
) -> None:
    (reply,) = qm.mqsc(command)
    assert head.items() <= reply.attributes.items()
    assert json.loads(json.dumps(reply.as_data()))


def test_no_open_data_set_is_no_failure(qm: penstock.QueueManager, group: GroupDouble) -> None:
    (reply,) = qm.mqsc("DISPLAY USAGE TYPE(SMDS) WHERE(BLOCKSIZE EQ '8K')")
    assert (reply.failed, reply.id) == (False, "CSQ9022I")
    (reply,) = qm.mqsc("DISPLAY CFSTATUS(NONE)")
    assert reply.id == "AMQ8147E"


def test_actions_reach_the_group_with_their_options(qm: penstock.QueueManager, group: GroupDouble) -> None:
    (reply,) = qm.mqsc("BACKUP CFSTRUCT(APPL1) EXCLINT(30)")
    assert "CSQE120I" in reply.text
    assert group.asked[-1] == Request("BACKUP", "CFSTRUCT", "APPL1", {"EXCLINT": "30"})
    qm.mqsc("RESET SMDS(QM1) CFSTRUCT(APPL1) STATUS(FAILED)", check=True)
    assert group.asked[-1].options == {"CFSTRUCT": "APPL1", "STATUS": "FAILED"}
    assert qm.mqsc("RESET CFSTRUCT(APPL1)")[0].id == "AMQ8405I"


def test_a_command_for_another_member_is_sent_without_its_scope(
    qm: penstock.QueueManager, group: GroupDouble
) -> None:
    (reply,) = qm.mqsc("PING QMGR CMDSCOPE(QM2)")
    assert "QM2" in reply.text
    assert group.asked == [("PING QMGR ", "QM2")]


def test_attributes_of_members_need_a_group(qm: penstock.QueueManager, group: GroupDouble) -> None:
    qm.mqsc("ALTER QMGR IGQ(ENABLED) IGQAUT(CTX) IGQUSER('agent')", check=True)
    (reply,) = qm.mqsc("DISPLAY QMGR IGQ IGQAUT IGQUSER")
    assert [reply.attributes[each] for each in ("IGQ", "IGQAUT", "IGQUSER")] == ["ENABLED", "CTX", "agent"]
    qm.mqsc("ALTER QMGR IGQ(DISABLED) IGQAUT(DEF) IGQUSER(' ')", check=True)
    qm.engine.group = None
    qm.mqsc("ALTER QMGR IGQ(DISABLED) CFCONLOS(TOLERATE)", check=True)
    for attribute in ("IGQ(ENABLED)", "IGQAUT(CTX)", "IGQUSER(AGENT)", "CFCONLOS(TERMINATE)"):
        (reply,) = qm.mqsc(f"ALTER QMGR {attribute}")
        assert reply.reason == 2298
        assert attribute in reply.text


def test_the_queue_manager_shows_its_group(qm: penstock.QueueManager, group: GroupDouble) -> None:
    (reply,) = qm.mqsc("DISPLAY QMGR ALL")
    assert reply.attributes["QSGNAME"] == "QSG1"
    qm.engine.group = None
    assert "QSGNAME" not in transcript(qm.engine, "DISPLAY QMGR ALL", 0.0)[0]
