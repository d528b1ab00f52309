"""`penstock user` and `penstock explain-access`, as a person runs them."""

import json

import pytest

import penstock
from penstock.host.users.user_directory import People
from tests.command_forks import run_command

pytestmark = pytest.mark.installed


def run(*arguments, given=""):
    return run_command(*arguments, input=given)


def test_a_user_is_added_listed_changed_and_removed(penstock_home, tmp_path) -> None:
    added = run("user", "add", "bob", "-g", "sales", "--password-file", "-", given="correct horse\n")
    assert (added.returncode, added.stdout) == (0, "User bob added to sales.\n")
    people = People(penstock_home / "users.auth", "owner")
    assert people.verify("bob", "correct horse")

    secret = tmp_path / "secret"
    secret.write_text("battery staple\n")
    assert run("user", "password", "bob", "--password-file", str(secret)).returncode == 0
    assert people.verify("bob", "battery staple")
    assert not people.verify("bob", "correct horse")

    assert run("user", "groups", "bob", "--group", "east", "--group", "west").stdout == "east west\n"
    assert people.verify("bob", "battery staple")
    listed = json.loads(run("user", "list", "--json").stdout)
    assert listed == [{"name": "bob", "groups": ["east", "west"], "password": True}]

    assert run("user", "groups", "bob", "--none").stdout == "\n"
    assert run("user", "remove", "bob").returncode == 0
    assert run("user", "list").stdout.split() == ["USER", "GROUPS", "PASSWORD"]


def test_mistakes_say_what_to_do() -> None:
    run("user", "add", "app", "--no-password")
    for arguments, code in (
        (("add", "app", "--no-password"), 8061),
        (("add", "much-too-long-a-name", "--no-password"), 8042),
        (("remove", "eve"), 8060),
        (("groups", "eve"), 8060),
        (("password", "eve"), 8060),
    ):
        refused = run("user", *arguments, "--json")
        assert refused.returncode == 1
        assert json.loads(refused.stderr)["error"]["reason"] == code
    short = run("user", "add", "bob", "--password-file", "-", given="short\n")
    assert "8062" in short.stderr
    assert "short" not in short.stderr.replace("too short", "")


def test_without_a_terminal_a_password_is_not_waited_for() -> None:
    refused = run("user", "add", "bob")
    assert refused.returncode == 2
    assert "--password-file" in refused.stderr


@pytest.fixture
def guarded():
    """QM1 where user app, in group apps, may put to ORDERS and comes in from 10.*."""
    run("user", "add", "app", "--group", "apps", "--no-password")
    with penstock.embed("QM1", create=True) as qm:
        replies = qm.mqsc(
            "DEFINE QLOCAL(ORDERS)\n"
            "DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN)\n"
            "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)\n"
            "SET CHLAUTH(APP.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('app')\n"
            "SET AUTHREC OBJTYPE(QMGR) GROUP('apps') AUTHADD(CONNECT)\n"
            "SET AUTHREC PROFILE('ORD*') OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT)"
        )
        assert not any(reply.failed for reply in replies)


def explain(*arguments):
    return run("explain-access", "--qmgr", "QM1", "--user", "bob", "-c", "APP.SVRCONN", *arguments)


def test_what_is_allowed_is_explained(guarded) -> None:
    told = explain("-a", "10.1.2.3", "--object", "ORDERS", "--verb", "put", "--json")
    found = json.loads(told.stdout)
    assert told.returncode == 0
    assert (found["allowed"], found["user"], found["groups"]) == (True, "app", ["apps"])
    assert [step["step"] for step in found["steps"]] == ["password", "channel", "connect", "put"]
    assert "ADDRESS(10.*)" in found["steps"][1]["by"][0]
    assert "PROFILE(ORD*)" in found["steps"][3]["by"][0]


def test_what_is_refused_is_explained(guarded) -> None:
    told = explain("-a", "11.1.2.3")
    assert told.returncode == 1
    assert "NO   channel: channel APP.SVRCONN is closed by CHLAUTH(*) TYPE(ADDRESSMAP)" in told.stdout

    assert told.stdout.count("CHLAUTH(*)") == 1  # in the sentence, and not again below it

    told = explain("-a", "10.1.2.3", "--object", "ORDERS", "--verb", "get")
    assert told.returncode == 1
    assert "NO   get: user app lacks GET for QUEUE ORDERS" in told.stdout
    assert told.stdout.endswith("Refused for user app, in apps.\n")


def test_topics_and_commands_are_explained(guarded) -> None:
    assert "PUB for TOPIC" in explain("-a", "10.1.2.3", "--object", "a/b", "--verb", "publish").stdout
    assert "CRT for QUEUE @class" in explain("-a", "10.1.2.3", "-o", "Q", "--verb", "define").stdout
    local = run("explain-access", "--user", "mqm", "--object", "ORDERS", "--verb", "delete")
    assert (local.returncode, local.stdout.splitlines()[-1]) == (0, "Allowed for user mqm.")


def test_incomplete_questions_are_refused(guarded) -> None:
    assert run("explain-access", "--user", "bob", "--channel", "C").returncode == 2
    assert run("explain-access", "--user", "bob", "--object", "Q").returncode == 2
    assert explain("-a", "10.1.2.3", "--object", "Q", "--verb", "eat").returncode == 1
