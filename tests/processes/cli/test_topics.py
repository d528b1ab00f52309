"""`penstock publish` and `penstock subscribe`: what is published is shown, as text and as JSON."""

import json

import pytest

import penstock
from tests.command_forks import run_command

pytestmark = pytest.mark.installed


def run(*arguments, **options):
    return run_command(*arguments, **options)


@pytest.fixture(autouse=True)
def queue_manager():
    penstock.embed("QM1", create=True).close()


def test_a_durable_subscription_gets_what_was_published_meanwhile():
    assert run("subscribe", "price/#", "--durable", "s", "--wait", "0").returncode == 1
    done = run("publish", "price/apple", "1.20", "--persistent", "-p", "size=11", "--json")
    assert json.loads(done.stdout)[0]["warning"] == 0, done.stderr
    done = run("subscribe", "price/#", "--durable", "s", "--wait", "0", "--json", "--remove")
    (line,) = done.stdout.splitlines()
    message = json.loads(line)
    assert message["properties"]["MQTopicString"] == "price/apple", message
    assert run("mqsc", "QM1", "-c", "DISPLAY SUB(s)").returncode == 10


def test_what_is_retained_is_shown_up_to_a_count():
    for name in ("apple", "pear", "plum"):
        run("publish", f"price/{name}", name, "--retain", "--persistent")
    done = run("subscribe", "price/p*", "--char", "--count", "5", "--wait", "0")
    assert sorted(done.stdout.splitlines()) == ["price/pear: pear", "price/plum: plum"], done.stderr
    assert len(run("subscribe", "price/+", "--count", "2", "--wait", "0").stdout.splitlines()) == 2
    assert run("subscribe", "price/+", "--new-only", "--wait", "0").returncode == 1


def test_lines_and_counts():
    run("subscribe", "a", "--durable", "s", "--wait", "0")
    done = run("publish", "a", "--lines", "--persistent", input="one\ntwo\n")
    assert "Published 2 messages to a." in done.stdout, done.stderr
    assert run("subscribe", "a", "--durable", "s", "--wait", "0").stdout.split() == ["one", "two"]


def test_a_bad_selector_is_told():
    done = run("subscribe", "a", "--selector", "size >", "--wait", "0")
    assert done.returncode == 1
    assert "2459" in done.stderr
