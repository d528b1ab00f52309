"""Charts over hours in a real browser, from samples on disk: two hours of a queue, with a gap."""

from __future__ import annotations

import shutil
import time
from typing import Any

import pytest

from penstock.console.history import History, Sample
from penstock.host.starting import create
from penstock.lab.run.known import remember
from tests.browser.conftest import Running, pictures
from tests.unit.lab.made_runs import made_run

pytestmark = [pytest.mark.installed, pytest.mark.xdist_group("browser")]


def test_given_hours_of_samples_when_charted_then_line_gap_table_and_retention(
    page: Any, running: Running
) -> None:
    disk = History(running.served.home / "web" / "history.db")
    now = int(time.time()) // 60 * 60
    for minute in [*range(120, 80, -1), *range(50, 1, -1)]:
        rows = [Sample("BULK", 1000.0 + minute, 20.0, 19.0), Sample("SCRATCH", 2.0 * minute, 5.0, 7.0)]
        disk.add("QM1", now - 60 * minute, [*rows, Sample("", 1000.0 + 3 * minute, 25.0, 26.0)])
    page.goto(running.address + "/charts?qm=QM1")
    page.fill("input[name=queues]", "BULK, SCRATCH")
    page.select_option("select[name=field]", "depth")
    page.wait_for_url("**queues=BULK**")
    assert page.locator(".chart path").count() == 2
    assert page.locator(".chart .gap").count() >= 1
    assert "M" in page.get_attribute(".chart path.s1", "d")[1:], "the gap interrupts the line"
    caption = page.text_content("figcaption")
    assert "a point per minute for 48 hours" in caption
    assert "at most 256 MB" in caption
    assert "highest 1,120" in page.text_content(".legend")
    pictures(page, "charts")
    link = page.url
    with page.expect_download() as saved:
        page.click("text=CSV")
    assert saved.value.path().read_text().startswith("time,BULK,SCRATCH\n")
    page.goto(link.replace("SCRATCH", "NOT.THERE"))
    assert "2085" in page.text_content("h1")


def test_given_a_queue_manager_that_does_not_run_when_charted_then_its_samples_are_there(
    page: Any, running: Running
) -> None:
    create("STOPPED", running.served.home, file_pages=256)
    disk = History(running.served.home / "web" / "history.db")
    now = int(time.time()) // 60 * 60
    for minute in range(9, 1, -1):
        disk.add("STOPPED", now - 60 * minute, [Sample("LAST", 70.0 + minute, 1.0, 2.0)])
    try:
        page.goto(running.address + "/charts?qm=STOPPED&queues=LAST")
        assert "highest 79" in page.text_content(".legend")
    finally:
        shutil.rmtree(running.served.home / "STOPPED")


def test_given_a_run_of_the_laboratory_when_looked_at_then_its_best_points(
    page: Any, running: Running, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(running.served.home))
    rates = {"clnp1": {"xs": [1, 4], "rate": lambda x: 1000.0 * x}}
    remember(made_run(tmp_path / "first", rates, rounds=5))
    page.goto(running.address + "/charts?qm=QM1")
    page.click("text=Measurements")
    page.click("tbody a:has-text('first')")
    assert "clnp1" in page.text_content("section:has-text('Best points') tbody")
    assert "round trips/s" in page.text_content("section:has-text('Best points') tbody")
    assert page.locator("text=penstock lab report").count() >= 1
    pictures(page, "measurements")
