"""Clause 13: what has no effect is said to have none, and what would only look like protection is refused."""

from __future__ import annotations

import pytest

from penstock.admin.mqsc import transcript
from penstock.qmgr.catalogue.attributes import KINDS, SUBTYPE_ATTRIBUTE, catalogue
from penstock.qmgr.catalogue.system_objects import system_definitions
from tests.unit.admin.engine_double import NOW


@pytest.mark.parametrize(
    ("command", "note"),
    [
        (
            "ALTER QMGR ACTVCONO(ENABLED)",
            "ACTVCONO(ENABLED) is stored and has no effect here: programs cannot override the activity",
        ),
        ("ALTER QMGR ACCTCONO(ENABLED)", "programs cannot override accounting"),
        ("ALTER QMGR KEYRPWD('secret')", "KEYRPWD is stored and has no effect here"),
        ("DEFINE QLOCAL(A) NOHARDENBO", "NOHARDENBO is stored and has no effect here"),
        ("DEFINE TOPIC(A) TOPICSTR(A) MCAST(ENABLED)", "there is no multicast"),
        ("DEFINE CHANNEL(A) CHLTYPE(SVRCONN) COMPMSG(ZLIBFAST)", "nothing is compressed"),
        (
            "DEFINE CHANNEL(A) CHLTYPE(AMQP)",
            "A is stored and has no effect here: channels of this type",
        ),
        ("DEFINE CHANNEL(A) CHLTYPE(RCVR)", "MCAUSER is blank: anyone who dials this channel"),
        ("DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME(X) XMITQ(X) MODENAME(M)", "channels use TCP"),
        ("DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) CONNAME(a)", "LDAP and OCSP servers are not asked"),
        ("ALTER QMGR OTELTRAC(ON)", "OpenTelemetry is set up by the environment"),
    ],
)
def test_a_value_without_effect_is_stored_with_a_note(mqsc, command, note):
    (reply,) = mqsc(command)
    assert not reply.failed
    assert len(reply.notes) == 1
    assert note in reply.notes[0]
    assert "secret" not in reply.notes[0]


@pytest.mark.parametrize(
    "command",
    [
        "ALTER QMGR STATMQI(OFF) ACCTQ(OFF) SSLFIPS(NO) SUITEB(NONE) CERTVPOL(ANY) SSLCRLNL(' ')",
        "DEFINE QLOCAL(A) MAXDEPTH(7) CLUSTER(' ') DEFBIND(OPEN) OTELTRAC(QMGR) OTELPCTL(QMGR)",
        "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE) MONQ(HIGH)",
        "DEFINE CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) REPLACE",
        "DEFINE CHANNEL(A) CHLTYPE(RCVR) MCAUSER(app)",
        "DEFINE QREMOTE(A) RNAME(B) RQMNAME(QM2)",
        "SET CHLAUTH(A) TYPE(QMGRMAP) QMNAME(QM2) USERSRC(CHANNEL)",
        "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12) MAXINST(5)",
    ],
)
def test_defaults_and_what_works_make_no_notes(mqsc, command):
    (reply,) = mqsc(command)
    assert (reply.failed, reply.notes) == (False, ())


def test_notes_are_printed_and_change_neither_summary_nor_exit_code(engine):
    text, code = transcript(engine, "ALTER QMGR ACTVCONO(ENABLED)", NOW)
    assert code == 0
    assert (
        "AMQ8005I: Penstock queue manager changed.\nNote: ACTVCONO(ENABLED) is stored and has no effect here:"
        in text
    )
    assert "All valid MQSC commands were processed." in text


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("ALTER QMGR SSLFIPS(YES)", "SSLFIPS(YES) is refused: the TLS library is not switched to FIPS mode"),
        ("ALTER QMGR SUITEB(128_BIT,192_BIT)", "SUITEB(128_BIT) is refused"),
        ("ALTER QMGR CERTVPOL(RFC5280)", "CERTVPOL(RFC5280) is refused"),
        ("ALTER QMGR SSLCRLNL(LISTS)", "revocation lists are not looked at"),
        ("DEFINE CHANNEL(A) CHLTYPE(SVRCONN) SCYEXIT('exit(check)')", "security exits are not called"),
    ],
)
def test_a_value_that_only_looks_like_protection_is_refused(mqsc, engine, command, why):
    before = dict(engine.objects.all("QMGR")[0].attributes)
    (reply,) = mqsc(command)
    assert (reply.failed, reply.id, reply.reason) == (True, "AMQ8425E", 4005)
    assert why in reply.text
    assert dict(engine.objects.all("QMGR")[0].attributes) == before
    assert engine.objects.find("CHANNEL", "A") is None


def test_a_refused_value_can_still_be_asked_for(mqsc):
    assert not mqsc("DISPLAY QMGR SSLFIPS SUITEB CERTVPOL")[0].failed


def test_what_a_new_queue_manager_has_is_neither_refused_nor_without_effect():
    """A dump of a queue manager that nobody changed loads without a word."""
    for definition in system_definitions("QM1", NOW):
        table = catalogue(definition.kind, definition.subtype)
        skipped = SUBTYPE_ATTRIBUTE.get(definition.kind)
        for name, value in definition.attributes.items():
            if name in table and name != skipped:
                assert not table[name].refusal(value), (definition.name, name)


def test_every_attribute_that_is_not_asked_for_says_so():
    """An attribute whose name stands nowhere but in the catalogue cannot have an effect."""
    from tests.uncompiled import ROOT

    rooms = [path for path in (ROOT / "src" / "penstock").rglob("*.py*") if path.suffix in (".py", ".pyx")]
    written = "\n".join(
        path.read_text() for path in rooms if "catalogue" not in path.parts and "model" not in path.parts
    )
    shown_only = {"DESCR", "RETINTVL"}
    silent = {
        (kind, name)
        for kind in KINDS
        for name, attribute in catalogue(
            kind, {"CHANNEL": "SVRCONN", "AUTHINFO": "IDPWOS"}.get(kind, "")
        ).items()
        if not attribute.read_only
        and not attribute.inert
        and not attribute.refuses
        and name not in shown_only
        and name not in written
    }
    assert not silent
