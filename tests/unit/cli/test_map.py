"""`penstock map`: queue managers, the channels between them, and what waits, in every form."""

import json
import xml.etree.ElementTree as ET

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli import map as map_command
from penstock.cli.main import application
from penstock.qmgr.catalogue.attributes import defaults
from penstock.tools import network_map
from penstock.tools.channel_facts import channels_of

pytestmark = pytest.mark.installed
SCRIPT = """
DEFINE QLOCAL(TWO) USAGE(XMITQ)
DEFINE QLOCAL(XQ) USAGE(XMITQ)
DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(THREE) XMITQ(XQ)
DEFINE CHANNEL(TO.TWO) CHLTYPE(SDR) XMITQ(TWO) CONNAME('127.0.0.1(1)')
DEFINE CHANNEL(TO.THREE) CHLTYPE(SDR) XMITQ(XQ) CONNAME('127.0.0.1(2)')
DEFINE CHANNEL(FROM.TWO) CHLTYPE(RCVR)
"""


@pytest.fixture
def edges():
    with penstock.embed("ONE", create=True) as qm:
        qm.mqsc(SCRIPT, check=True)
        qm.put_many("FAR", [b"1", b"2"])
        return channels_of(qm)


def test_an_edge_knows_its_target_and_what_waits(edges):
    found = {each.channel: (each.partner, each.transmission_queue, each.waiting) for each in edges}
    assert found == {"TO.TWO": ("TWO", "TWO", 0), "TO.THREE": ("THREE", "XQ", 2), "FROM.TWO": ("", "", 0)}
    assert all(each.state == "INACTIVE" for each in edges)


def test_a_target_that_is_elsewhere_is_on_the_map(edges):
    found = network_map.network({"ONE": "Running", "TWO": "Stopped"}, edges)
    assert [(each.name, each.state) for each in found.queue_managers] == [
        ("ONE", "Running"),
        ("TWO", "Stopped"),
        ("THREE", "not in this home"),
    ]


def test_a_channel_that_leads_nowhere_is_on_the_map():
    with penstock.embed("ONE", create=True) as qm:
        qm.engine.define("CHANNEL", "HALF", defaults("CHANNEL", "SDR"), 0.0)  # an old folder may have one
        found = network_map.network({"ONE": "Running"}, channels_of(qm))
    assert [(each.name, each.state) for each in found.queue_managers][1:] == [("?", "no transmission queue")]
    assert "HALF" in map_command.graphviz(found)
    ET.fromstring(map_command.picture(found))


def test_pictures_show_every_queue_manager_and_channel(edges):
    found = network_map.network({"ONE": "Running", "TWO": "Stopped"}, edges)
    drawn = map_command.picture(found)
    ET.fromstring(drawn)
    dot = map_command.graphviz(found)
    for text in ("ONE", "TWO", "THREE", "TO.THREE inactive, 2 waiting"):
        assert text in drawn
        assert text in dot


def test_a_stopped_queue_manager_is_shown_and_not_started(edges):
    done = CliRunner().invoke(application(["map"]), ["map", "--json"])
    assert json.loads(done.stdout) == {
        "queue_managers": [{"name": "ONE", "state": "Ended"}],
        "channels": [],
    }
