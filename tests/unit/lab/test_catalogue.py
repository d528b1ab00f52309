"""Every test of the reports has its file; what it says is what was published, and mistakes are named."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from penstock.lab.catalogue import catalogue, chosen
from penstock.lab.catalogue.availability import NEEDS, state
from penstock.lab.catalogue.loading import FILES, SEEDS, read
from penstock.lab.catalogue.published import FOLDER, SOURCES, figures, rows
from penstock.model.errors import MQError


def test_all_tests_of_the_seeds_are_there():
    assert Counter(test.seed for test in catalogue().values()) == {
        "000": 53,
        "001": 39,
        "002": 27,
        "003": 85,
        "004": 6,
    }
    assert {path.parent.name for path in FILES.rglob("*.yaml")} == SEEDS.keys()


def test_what_cannot_run_has_a_reason():
    for test in catalogue().values():
        word, reason = state(test)
        assert bool(reason) == (word != "runs"), test.test
        assert set(test.needs) <= NEEDS.keys()
        assert word != "runs" or test.load, test.test


def test_every_reference_to_a_published_figure_finds_some():
    for test in catalogue().values():
        if test.published:
            assert figures(test), test.test


def test_published_figures_are_those_of_the_reports():
    (own,) = [
        each for each in figures(catalogue()["clpm3"]) if each.metric == "rate" and "V5.3" in each.source
    ]
    assert (own.x, own.value) == (64.0, "1049")
    trivial = figures(catalogue()["trivial"])
    assert [each.value for each in trivial if each.x == 1024 and each.metric == "rate"] == [
        "3329.00",
        "131.00",
    ]


def test_the_brokers_figures_are_those_of_eight_processors():
    for row in rows("broker-v5-nodes"):
        busy = float(row["cpu_busy_percent"])
        if busy >= 5:
            processors = float(row["cpu_ms_per_message"]) * float(row["messages_per_s"]) / (10 * busy)
            assert processors == pytest.approx(8.0, rel=0.05), row


def test_the_publish_figures_predict_their_own_peak():
    found = {
        row["metric"]: float(row["v8"])
        for row in rows("mq-v8-pubsub")
        if row["scenario"].startswith("fan-out local") and row["persistent"] == "no"
    }
    one, more = found["time per publish to 1 subscriber"], found["time per additional cached subscriber"]

    assert 48 / (one + 47 * more) * 1e6 == pytest.approx(found["peak total message rate"], rel=0.02)


def test_every_file_of_figures_has_its_source_and_full_rows():
    assert {path.stem for path in FOLDER.glob("*.csv")} == SOURCES.keys()
    for path in FOLDER.glob("*.csv"):
        with path.open(newline="") as file:
            assert all(None not in row and None not in row.values() for row in csv.DictReader(file)), (
                path.name
            )


def test_a_variant_takes_over_what_it_does_not_change():
    base, variant = catalogue()["clpm3"], catalogue()["clpm3_20K"]

    assert variant.load == base.load | {"bytes": 20480}
    assert variant.ramp == base.ramp
    assert [each.value for each in figures(variant)][:1] == ["281"]


def test_tests_are_chosen_by_name_other_name_seed_and_pattern():
    assert [test.test for test in chosen(["clnp1_r3600"])] == ["clnp1_r3600_runmqlsr"]
    assert len(chosen(["004"])) == 6
    assert {test.test for test in chosen(["local_np1*"])} == {
        "local_np1",
        "local_np1_20K",
        "local_np1_200K",
        "local_np1_trusted",
    }
    with pytest.raises(MQError, match=r"8601.*no test is called 'hope'"):
        chosen(["hope"])


WRONG = {
    "load: {work: hope}": "no work is called 'hope'",
    "load: {work: verbs}\nfaster: yes": "unknown field `faster`",
    "load: {work: verbs}\nramp: {over: bytes, first: 4, last: 2}": "does not rise",
    "load: {work: verbs}\nramp: {over: bytes, first: 1, last: 2, stop: [hope]}": "no stop rule is called",
    "load: {work: verbs}\nfit: {kind: curve, y: rate, x: bytes}": "no fit is called 'curve'",
    "extends: nothing": "cannot extend 'nothing'",
    "note: nothing to do": "has a load",
    "title: [": "a.yaml",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_mistake_is_named_with_its_file(tmp_path, text):
    head = "test: a\nseed: '000'\nsection: '1'\nwhat: something\n" + ("" if "title" in text else "title: A\n")
    (tmp_path / "a.yaml").write_text(head + text + "\n")

    with pytest.raises(MQError, match="8602") as caught:
        read(tmp_path)

    assert "a.yaml" in str(caught.value)
    assert WRONG[text] in str(caught.value)
