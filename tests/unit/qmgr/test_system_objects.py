"""What a new queue manager has."""

from __future__ import annotations

import pytest

from penstock.qmgr.catalogue.attributes import catalogue, defaults
from penstock.qmgr.catalogue.channels import CHANNEL_TYPES
from penstock.qmgr.catalogue.system_objects import born_as, default_object, default_rules, system_definitions
from penstock.qmgr.objects import Objects

NOW = 1_700_000_000.0


@pytest.fixture(scope="module")
def objects() -> Objects:
    made = Objects()
    for definition in system_definitions("QM1", NOW):
        made.put(definition)
    return made


def test_every_value_is_one_its_attribute_takes(objects):
    for definition in objects:
        table = catalogue(definition.kind, definition.subtype)
        for name, value in definition.attributes.items():
            assert table[name].check(value) == value, (definition.name, name)


def test_every_definition_is_complete(objects):
    for definition in objects:
        missing = defaults(definition.kind, definition.subtype).keys() - definition.attributes.keys()
        assert not missing, definition.name


def test_ids_are_different(objects):
    ids = [definition.id for definition in objects]
    assert len(ids) == len(set(ids))
    assert objects.next_id == max(ids) + 1


@pytest.mark.parametrize("kind", ["QLOCAL", "QALIAS", "QREMOTE", "QMODEL"])
def test_each_kind_of_queue_has_its_default_object(objects, kind):
    assert objects.find("QUEUE", default_object(kind)).kind == kind


@pytest.mark.parametrize("channel_type", CHANNEL_TYPES)
def test_each_channel_type_has_its_default_object(objects, channel_type):
    space = "CLNTCONN" if channel_type == "CLNTCONN" else "CHANNEL"
    assert objects.find(space, default_object("CHANNEL", channel_type)).subtype == channel_type


@pytest.mark.parametrize("kind", ["PROCESS", "NAMELIST", "LISTENER", "TOPIC", "SUB", "SERVICE", "COMMINFO"])
def test_each_other_kind_has_its_default_object(objects, kind):
    assert objects.find(kind, default_object(kind)) is not None


@pytest.mark.parametrize("kind", ["IDPWOS", "IDPWLDAP", "CRLLDAP", "OCSP"])
def test_each_authentication_type_has_its_default_object(objects, kind):
    assert objects.find("AUTHINFO", default_object("AUTHINFO", kind)).subtype == kind


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (
            "SYSTEM.ADMIN.COMMAND.QUEUE",
            {"DEFSOPT": "EXCL", "SHARE": "NO", "MAXDEPTH": 3000, "MAXMSGL": 32762},
        ),
        ("SYSTEM.CHANNEL.INITQ", {"DEFSOPT": "EXCL", "SHARE": "NO", "MAXDEPTH": 1000, "MAXMSGL": 2000}),
        ("SYSTEM.CLUSTER.TRANSMIT.QUEUE", {"USAGE": "XMITQ", "MAXDEPTH": 999999999}),
        ("SYSTEM.ADMIN.STATISTICS.QUEUE", {"MAXDEPTH": 3000, "ACCTQ": "OFF", "STATQ": "OFF"}),
        ("SYSTEM.INTER.QMGR.PUBS", {"DEFPSIST": "YES"}),
        ("SYSTEM.DEFAULT.MODEL.QUEUE", {"DEFTYPE": "TEMPDYN", "DEFSOPT": "EXCL", "SHARE": "NO"}),
        ("SYSTEM.DURABLE.MODEL.QUEUE", {"DEFTYPE": "PERMDYN", "SHARE": "YES", "MAXDEPTH": 999999999}),
        ("SYSTEM.NDURABLE.MODEL.QUEUE", {"DEFTYPE": "TEMPDYN", "SHARE": "YES", "DEFREADA": "YES"}),
    ],
)
def test_system_queues_have_their_own_values(objects, name, values):
    found = objects.find("QUEUE", name).attributes
    assert {key: found[key] for key in values} == values


def test_the_queue_manager_is_named_and_stamped(objects):
    qmgr = objects.find("QMGR", "QM1")
    assert qmgr.attributes["QMID"].startswith("QM1_2023-11-14_")
    assert qmgr.attributes["CONNAUTH"] == "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
    assert qmgr.attributes["CHLAUTH"] == "ENABLED"


def test_base_topic_resolves_what_other_topics_inherit(objects):
    base = objects.find("TOPIC", "SYSTEM.BASE.TOPIC").attributes
    child = objects.find("TOPIC", "SYSTEM.DEFAULT.TOPIC").attributes
    assert (base["DURSUB"], base["PMSGDLV"], base["NPMSGDLV"]) == ("YES", "ALLDUR", "ALLAVAIL")
    assert "ASPARENT" not in base.values()
    assert child["DURSUB"] == "ASPARENT"


def test_three_channel_rules_guard_a_new_queue_manager(objects):
    rules = [each.attributes for each in objects.all("CHLAUTH")]
    assert sorted((rule["CHLAUTH"], rule["TYPE"]) for rule in rules) == [
        ("*", "BLOCKUSER"),
        ("SYSTEM.*", "ADDRESSMAP"),
        ("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP"),
    ]
    assert len(list(default_rules())) == 3


def test_born_as_tells_only_about_system_objects(objects):
    assert born_as("QLOCAL", "SYSTEM.DEAD.LETTER.QUEUE")["MAXDEPTH"] == 999999999
    assert born_as("QLOCAL", "MINE") is None
