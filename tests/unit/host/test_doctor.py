"""The examination of an installation."""

import pytest

from penstock.tools import doctor


def finding(findings, subject):
    return next(each for each in findings if each.subject == subject)


def test_every_problem_comes_with_advice(tmp_path):
    for each in doctor.examine(tmp_path):
        assert each.state != "problem" or each.advice


@pytest.mark.installed
def test_the_build_is_reported_module_by_module(tmp_path):
    findings = doctor.examine(tmp_path)

    assert finding(findings, "penstock.model.message").text == "compiled"
    assert finding(findings, "penstock.store._writer").state == "ok"


def test_a_home_that_does_not_exist_yet_is_fine(tmp_path):
    assert "will be created" in doctor.home_folder(tmp_path / "a" / "b").text


def test_the_sync_rate_is_measured_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 0.05)

    assert "syncs" in doctor.sync_rate(tmp_path).text
    assert list(tmp_path.iterdir()) == []
