"""Every example runs by itself and prints what it should."""

import subprocess
import sys

import pytest

from tests.uncompiled import ROOT

EXPECTED = {
    "request_reply.py": "water -> retaw\nmill -> llim\npenstock -> kcotsnep\n",
    "transfer.py": (
        "backed out: invalid literal for int() with base 10: 'many'\n" * 3
        + "bills: ['6 EUR for apples', '10 EUR for plums']\nput aside: ['many pears']\n"
    ),
    "bridge_program.py": '{"total":2.0}\n{"total":0.75}\naside: {"count": "many"}\n',
    "priorities_and_selectors.py": "heavy: a piano\nfirst: an organ\nthe same: True\n",
}
pytestmark = pytest.mark.installed


def test_every_example_is_known_here():
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_prints_what_it_should(name):
    command = [sys.executable, str(ROOT / "examples" / name)]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (done.stdout, done.stderr) == (EXPECTED[name], "")


def test_the_example_script_runs_twice_without_a_failure():
    import penstock

    text = (ROOT / "examples" / "orders.mqsc").read_text()
    with penstock.embed("QM1", create=True) as qm:
        replies = [reply for _ in range(2) for reply in qm.mqsc(text)]

    assert [reply.text for reply in replies if reply.failed] == []
