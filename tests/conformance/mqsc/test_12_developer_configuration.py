"""Clause 12: the configuration that tutorials and client samples assume runs, and runs again."""

from __future__ import annotations

import pytest

SCRIPT = """
* Queues for developers, and one for what cannot be delivered
DEFINE QLOCAL('DEV.QUEUE.1') REPLACE
DEFINE QLOCAL('DEV.QUEUE.2') REPLACE
DEFINE QLOCAL('DEV.QUEUE.3') REPLACE
DEFINE QLOCAL('DEV.DEAD.LETTER.QUEUE') REPLACE
DEFINE QMODEL('DEV.APP.MODEL.QUEUE') REPLACE
ALTER QMGR DEADQ('DEV.DEAD.LETTER.QUEUE')

DEFINE TOPIC('DEV.BASE.TOPIC') TOPICSTR('dev/') REPLACE

* Users give a password; administrators must
DEFINE AUTHINFO('DEV.AUTHINFO') AUTHTYPE(IDPWOS) +
       CHCKCLNT(REQDADM) CHCKLOCL(OPTIONAL) ADOPTCTX(YES) +
       REPLACE
ALTER QMGR CONNAUTH('DEV.AUTHINFO')
REFRESH SECURITY(*) TYPE(CONNAUTH)

DEFINE CHANNEL('DEV.ADMIN.SVRCONN') CHLTYPE(SVRCONN) REPLACE
DEFINE CHANNEL('DEV.APP.SVRCONN') CHLTYPE(SVRCONN) MCAUSER('app') REPLACE
DEFINE LISTENER('DEV.LISTENER.TCP') TRPTYPE(TCP) PORT(1414) CONTROL(QMGR) REPLACE

SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) DESCR('Nobody by default') ACTION(REPLACE)
SET CHLAUTH('DEV.APP.SVRCONN') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) +
       CHCKCLNT(REQUIRED) ACTION(REPLACE)
SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(BLOCKUSER) USERLIST('nobody') +
       DESCR('Lets administrators in') ACTION(REPLACE)
SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(USERMAP) CLNTUSER('admin') USERSRC(CHANNEL) ACTION(REPLACE)
SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(USERMAP) CLNTUSER('admin') USERSRC(MAP) MCAUSER ('mqm') ACTION(REPLACE)

SET AUTHREC PRINCIPAL('app') OBJTYPE(QMGR) AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('DEV.**') PRINCIPAL('app') OBJTYPE(QUEUE) AUTHADD(BROWSE,GET,INQ,PUT)
SET AUTHREC PROFILE('DEV.**') PRINCIPAL('app') OBJTYPE(TOPIC) AUTHADD(PUB,SUB)
SET AUTHREC PROFILE('DEV.APP.MODEL.QUEUE') PRINCIPAL('app') OBJTYPE(QUEUE) AUTHADD(BROWSE,DSP,GET,INQ,PUT)
"""


@pytest.mark.parametrize("times", [1, 2])
def test_it_runs_without_an_error(mqsc, times):
    for _ in range(times):
        assert [reply.text for reply in mqsc(SCRIPT) if reply.severity != "I" or reply.failed] == []


def test_running_it_again_changes_nothing(mqsc, engine):
    mqsc(SCRIPT)
    before = {(each.kind, each.name): dict(each.attributes) for each in engine.objects}
    mqsc(SCRIPT)
    assert {(each.kind, each.name): dict(each.attributes) for each in engine.objects} == before


def test_what_it_made(mqsc, engine):
    mqsc(SCRIPT)
    assert engine.objects.find("QMGR", "QM1").attributes["DEADQ"] == "DEV.DEAD.LETTER.QUEUE"
    assert engine.objects.find("CHANNEL", "DEV.APP.SVRCONN").attributes["MCAUSER"] == "app"
    (rule,) = mqsc("DISPLAY CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(USERMAP)")
    assert rule.attributes["MCAUSER"] == "mqm"


DUMP = """
*******************************************************************************
* Script in the manner of a configuration dump
*******************************************************************************
ALTER QMGR +
*  ALTDATE(2020-10-12) +
   CCSID(1208) +
   SSLCRYP(' ') +
   SUITEB(NONE) +
*  VERSION(09010500) +
   FORCE
DEFINE QLOCAL('SYSTEM.DEFAULT.LOCAL.QUEUE') +
*  CRDATE(2020-10-12) +
   DISTL(NO) +
   MAXDEPTH(5000) +
   REPLACE
DEFINE QREMOTE('SYSTEM.DEFAULT.REMOTE.QUEUE') +
   XMITQ(' ') +
   REPLACE
DEFINE NAMELIST('SYSTEM.QPUBSUB.QUEUE.NAMELIST') +
   NAMES('SYSTEM.BROKER.DEFAULT.STREAM' +
        ,'SYSTEM.BROKER.ADMIN.STREAM') +
   REPLACE
DEFINE SUB('one') +
   TOPICSTR('') +
   TOPICOBJ('SYSTEM.BASE.TOPIC') +
   DEST('Q') +
   PUBACCT(0431303030000000000000000000000000000000000000000000000000000006) +
   DESTCORL(414D5120514D31202020202020202020D2A3845F350EA123) +
   REPLACE
SET AUTHREC +
   PROFILE('@class') +
   GROUP('mqm') +
   OBJTYPE(AUTHINFO) +
   AUTHADD(CRT)
SET AUTHREC +
   PROFILE('self') +
   GROUP('mqm') +
   OBJTYPE(QMGR) +
   AUTHADD(ALTUSR,CHG,CONNECT,DLT,DSP,INQ,SET,SETALL,SETID,SYSTEM,CTRL)
"""


def test_a_configuration_dump_can_be_replayed(mqsc):
    for _ in range(2):
        assert [reply.text for reply in mqsc(DUMP) if reply.failed] == []
