"""Automatic configuration: MQSC and INI files that are applied at each start, inserts, and AutoCluster."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock
from penstock.host.automatic_configuration import with_inserts
from penstock.host.folders.folder import folder_of
from penstock.host.folders.ini import parse_settings, read_settings

MEMBER = """AutoCluster:
   Repository1Name=QMA
   Repository1Conname=127.0.0.1(3001)
   Repository2Name=QMB
   Repository2Conname=127.0.0.1(3002)
   ClusterName=UNI
   Type=Uniform
"""
RECEIVER = """DEFINE CHANNEL('+AUTOCL+_+QMNAME+') CHLTYPE(CLUSRCVR) TRPTYPE(TCP) +
  CONNAME('+CONNAME+') CLUSTER('+AUTOCL+') SHORTTMR(5) SHORTRTY(12000) REPLACE
DEFINE QLOCAL(ORDERS) CLUSTER(UNI) DEFBIND(NOTFIXED) CLWLUSEQ(ANY) REPLACE
"""


def attribute(qm: penstock.QueueManager, command: str, name: str) -> str:
    """Return one attribute of the only object that a DISPLAY shows."""
    reply = qm.mqsc(command)[0]
    assert not reply.failed, reply.text
    assert reply.attributes is not None
    return str(reply.attributes[name])


def test_mqsc_is_applied_at_every_start(penstock_home: Path, tmp_path: Path) -> None:
    script = tmp_path / "auto.mqsc"
    script.write_text("DEFINE QLOCAL(A) DESCR('+QMNAME+ at +PLACE+') REPLACE\n")
    with penstock.embed("QM1", create=True, mqsc_config=script, variables={"PLACE": "home"}) as qm:
        assert attribute(qm, "DISPLAY QLOCAL(A) DESCR", "DESCR") == "QM1 at home"
        qm.put("A", b"stays", persistent=True)
    script.write_text("DEFINE QLOCAL(A) DESCR('new') REPLACE\nDEFINE QLOCAL(B)\n")
    with penstock.embed("QM1") as qm:
        assert attribute(qm, "DISPLAY QLOCAL(A) DESCR", "DESCR") == "new"
        assert attribute(qm, "DISPLAY QLOCAL(B) MAXDEPTH", "MAXDEPTH")
        assert qm.get("A").body == b"stays"


def test_files_of_a_folder_are_applied_by_name(penstock_home: Path, tmp_path: Path) -> None:
    (tmp_path / "2.mqsc").write_text("ALTER QLOCAL(A) MAXDEPTH(22)")
    (tmp_path / "1.mqsc").write_text("DEFINE QLOCAL(A) MAXDEPTH(11) REPLACE")
    (tmp_path / "read.me").write_text("not MQSC")
    with penstock.embed("QM1", create=True, mqsc_config=tmp_path) as qm:
        assert attribute(qm, "DISPLAY QLOCAL(A) MAXDEPTH", "MAXDEPTH") == "22"


def test_an_ini_file_counts_at_creation_and_at_every_start(penstock_home: Path, tmp_path: Path) -> None:
    ini = tmp_path / "auto.ini"
    ini.write_text("Channels:\n   MaxChannels=7\nLog:\n   LogPrimaryFiles=4\n")
    with penstock.embed("QM1", create=True, ini_config=ini) as qm:
        assert qm.host.settings.channels.max_channels == 7
        assert qm.host.settings.log.primary_files == 4
    ini.write_text("Channels:\n   MaxChannels=8\n")
    assert read_settings(folder_of("QM1").ini).channels.max_channels == 8
    ini.write_text("Channels:\n   MaxChannels=many\n")
    with pytest.raises(penstock.MQError, match=r"auto.ini line 2: MaxChannels=many") as refused:
        penstock.embed("QM1")
    assert refused.value.reason == 8012


def test_a_command_that_fails_is_in_the_error_log_and_the_others_count(
    penstock_home: Path, tmp_path: Path
) -> None:
    script = tmp_path / "auto.mqsc"
    script.write_text("DEFINE QLOCAL(A) MAXDEPHT(5)\nDEFINE QLOCAL(B)\n")
    with penstock.embed("QM1", create=True, mqsc_config=script) as qm:
        assert attribute(qm, "DISPLAY QLOCAL(B) CURDEPTH", "CURDEPTH") == "0"
    log = "".join(each.read_text() for each in folder_of("QM1").errors.iterdir())
    assert "MQSCConfig line 1: AMQ8405" in log


def test_a_missing_file_refuses_creation_and_start(penstock_home: Path, tmp_path: Path) -> None:
    with pytest.raises(penstock.MQError, match="neither a file nor a folder"):
        penstock.embed("QM1", create=True, mqsc_config=tmp_path / "none")
    assert not folder_of("QM1").exists()
    script = tmp_path / "auto.mqsc"
    script.write_text("DEFINE QLOCAL(A) REPLACE")
    penstock.embed("QM1", create=True, mqsc_config=script).close()
    script.unlink()
    with pytest.raises(penstock.MQError, match="neither a file nor a folder") as refused:
        penstock.embed("QM1")
    assert refused.value.reason == 8012
    script.write_text("DEFINE QLOCAL(A) REPLACE")
    penstock.embed("QM1").close()


def test_an_unknown_insert_stays_and_a_known_one_is_taken_in_any_case() -> None:
    settings = parse_settings("AutoCluster:\n ClusterName=UNI\nVariables:\n CONNAME=h(1)\n")
    assert with_inserts("+QMNAME+ +conname+ +AUTOCL+ +OTHER+ a + b +\n", settings, "QM1") == (
        "QM1 h(1) UNI +OTHER+ a + b +\n"
    )


def test_a_value_that_is_an_insert_alone_gets_the_quotes_that_it_needs() -> None:
    settings = parse_settings("Variables:\n CONNAME=h(1),it's(2)\n PLAIN=a.b\n")
    text = "CONNAME(+CONNAME+) X( +plain+ ) Y('+CONNAME+') Z(+OTHER+) C(TO.+QMNAME+)"
    assert with_inserts(text, settings, "QM1") == (
        "CONNAME('h(1),it''s(2)') X(a.b) Y('h(1),it's(2)') Z(+OTHER+) C(TO.QM1)"
    )


@pytest.mark.parametrize(
    ("name", "repos", "senders"),
    [
        ("QMA", "UNI", {"UNI_QMB": "127.0.0.1(3002)"}),
        ("QMC", "", {"UNI_QMA": "127.0.0.1(3001)", "UNI_QMB": "127.0.0.1(3002)"}),
    ],
)
def test_a_member_of_a_uniform_cluster_gets_its_channels(
    penstock_home: Path, tmp_path: Path, name: str, repos: str, senders: dict[str, str]
) -> None:
    (tmp_path / "uni.ini").write_text(MEMBER)
    (tmp_path / "uni.mqsc").write_text(RECEIVER)
    options = {"ini_config": tmp_path / "uni.ini", "mqsc_config": tmp_path / "uni.mqsc"}
    with penstock.embed(name, create=True, **options, variables={"CONNAME": "127.0.0.1(3009)"}) as qm:
        assert attribute(qm, f"DISPLAY CHANNEL(UNI_{name}) CONNAME", "CONNAME") == "127.0.0.1(3009)"
        assert attribute(qm, "DISPLAY QMGR REPOS", "REPOS").strip() == repos
        found = {
            str(row["CHANNEL"]): str(row["CONNAME"])
            for reply in qm.mqsc("DISPLAY CHANNEL(UNI*) CHLTYPE CONNAME SHORTTMR")
            if (row := reply.attributes) and row["CHLTYPE"] == "CLUSSDR" and str(row["SHORTTMR"]) == "5"
        }
        assert found == senders


def test_only_uniform_clusters_are_automatic(penstock_home: Path, tmp_path: Path) -> None:
    (tmp_path / "uni.ini").write_text(MEMBER.replace("Uniform", "Other"))
    with pytest.raises(penstock.MQError, match="Type=Other: expected UNIFORM"):
        penstock.embed("QM1", create=True, ini_config=tmp_path / "uni.ini")
