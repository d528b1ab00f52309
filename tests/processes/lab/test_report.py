"""A report says what was measured, needs no network, and is readable on a screen, a phone and paper."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest

from penstock.lab.report.making import best_points, report
from penstock.lab.report.pdf import browser, print_pdf
from penstock.lab.report.targets import peers, targets
from penstock.lab.run.folder import RunFolder
from tests.bench.peers.__main__ import SCENARIOS
from tests.unit.lab.made_runs import made_run

pytest.importorskip("vl_convert", reason="the extra lab is not installed")
TESTS = {
    "clnp1": {"xs": [1, 2, 4, 8, 16, 20], "rate": lambda x: 1000.0 * min(x, 8) - 10 * x},
    "clpm3": {"xs": [1, 8, 64], "rate": lambda x: 100.0 * min(x, 32), "syncs": 0.5},
    "trivial": {
        "xs": [1024, 4096, 16384, 65536, 131072], "rate": lambda x: 4e6 / (500 + x / 20), "x_name": "bytes",
        "role": "client", "server_us": lambda x: 100 + 5 * x / 1024,
    },
    "fanout_local_np": {
        "xs": [1, 2, 4, 8, 16, 32, 64], "rate": lambda x: 1e6 / (20 + 5 * x), "x_name": "subscribers",
        "role": "publisher",
    },
}  # fmt: skip
LOOK = """<script>window.addEventListener("load", function () { setTimeout(function () {
  var root = document.documentElement, texts = Array.from(document.querySelectorAll("figure text"));
  var seen = texts.filter(function (t) { return t.getClientRects().length && t.textContent; });
  var shown = Array.from(document.querySelectorAll("figure")).filter(
    (figure) => Array.from(figure.querySelectorAll("svg")).some((each) => each.getClientRects().length));
  root.dataset.found = JSON.stringify({ shown: shown.length,
    wide: root.scrollWidth, client: root.clientWidth, figures: document.querySelectorAll("figure").length,
    drawn: document.querySelectorAll("figure.drawn").length,
    marked: document.querySelectorAll(".drawn .live .mark-line path, .drawn .live .mark-rect path").length,
    smallest: Math.min.apply(null, seen.map((t) => parseFloat(getComputedStyle(t).fontSize))),
    loaded: performance.getEntriesByType("resource").length});
}, 4000); });</script></body>"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    place = tmp_path_factory.mktemp("report")
    slower = {
        name: {**about, "rate": lambda x, rate=about["rate"]: rate(x) * 0.8} for name, about in TESTS.items()
    }
    return made_run(place / "before", TESTS, rounds=6), made_run(place / "after", slower, rounds=6, seed=2)


@pytest.fixture(scope="module")
def page(runs):
    return report([runs[1]], before=runs[0])


def test_it_has_highlights_sections_bounds_advice_and_what_changed(page):
    assert "Of 4 tests, 0 are unchanged within ±6 %, 0 faster, 4 slower" in page
    for name in TESTS:
        assert f'id="t-{name}"' in page
    assert "Non-persistent round trips of clients are" in page
    assert "Bounded by" in page
    assert "WebSphere MQ V5.3, Windows, 4 x 700 MHz, 2002" in page
    assert re.search(r"cpu µs: .* for each KB \(90 % interval", page)
    assert re.search(r"publish µs: 2\d.* for each subscriber; no step was found", page)
    assert "shared queues are not in this version" in page


def test_nothing_is_loaded_from_elsewhere(page):
    outside = re.compile(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//|@import|url\(\s*['"]?(?:https?:)?//""")
    without_script = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)

    assert not outside.search(without_script)
    assert len(page) < 2_500_000


def test_every_chart_is_there_for_both_widths(page):
    figures = page.count("<figure ")

    assert figures >= 8
    assert page.count('class="static wide"><svg') == page.count('class="static narrow"><svg') == figures


def looked_at(page: str, place, width: int) -> dict:
    path = place / "page.html"
    before, _, after = page.rpartition("</body>")  # the script has this text too
    path.write_text(before + LOOK + after)
    words = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--virtual-time-budget=15000",
    )
    found = subprocess.run(
        [browser(), *words, f"--user-data-dir={place / 'profile'}", f"--window-size={width},900",
         "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    return json.loads(re.search(r'data-found="([^"]*)"', found.stdout)[1].replace("&quot;", '"'))


@pytest.mark.skipif(browser() is None, reason="no Chromium on this machine")
def test_a_browser_draws_all_charts_and_nothing_overflows_on_a_phone(page, tmp_path):
    for width in (1280, 390):
        found = looked_at(page, tmp_path, width)

        assert found["drawn"] == found["figures"] > 0, found
        assert found["marked"] >= found["figures"]
        assert found["wide"] <= found["client"], found
        assert found["smallest"] >= 9
        assert found["loaded"] == 0


@pytest.mark.skipif(browser() is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("width", [1280, 390])
def test_charts_are_seen_without_the_script_too(runs, tmp_path, width):
    found = looked_at(report([runs[1]], live=False), tmp_path, width)

    assert found["shown"] == found["figures"] > 0
    assert found["wide"] <= found["client"], found


@pytest.mark.skipif(browser() is None, reason="no Chromium on this machine")
def test_a_pdf_is_printed(page, tmp_path):
    (tmp_path / "page.html").write_text(page)
    print_pdf(tmp_path / "page.html", tmp_path / "page.pdf")

    assert (tmp_path / "page.pdf").read_bytes()[:5] == b"%PDF-"
    assert (tmp_path / "page.pdf").stat().st_size > 50_000


def measured_row(what: str, floor: str, ratio: float) -> dict[str, Any]:
    around = {"median": ratio, "low": ratio * 0.99, "high": ratio * 1.02, "coverage": 0.93}
    return {"kind": "row", "what": what, "floor_name": floor, "ratio": around, "subject": {"rounds": [1] * 5}}


def test_raised_targets_stand_beside_what_was_measured():
    results = {
        "pair": [measured_row("put + get pair, 1 KB", "SimpleQueue pair", 7.0)],
        "tree_xml": [measured_row("XML 1 KB: parse, set, serialise", "lxml script", 12.0)],
        "flow_inline": [
            measured_row("set, 1 KB", "lxml loop", 4.0),
            measured_row("set, 1 KB, persistent", "pass, persistent", 0.7),
        ],
        "durable-16": [measured_row("durable puts, 1 KB, 16 producers", "Redis", 1.2)],
    }

    lines = targets([{"run": {}, "results": results}])

    assert [(line[0].partition(":")[0], *line[1:3], line[4]) for line in lines] == [
        ("durable-16", "at least 3 x", "1.2 x", "fails"),
        ("flow_inline", "at least 8 x", "4 x", "fails"),
        ("pair", "at most 6 x", "7 x", "fails"),
        ("tree_xml", "at least 10 x", "12 x", "passes"),
    ]


def test_other_products_stand_beside_what_was_measured_in_turn():
    names = [scenario.name for scenario in SCENARIOS]
    results = {name: [measured_row("one way, 2 KB", "RabbitMQ", 5.0)] for name in [*names, "pair"]}

    found = peers([{"run": {}, "results": results}])

    assert found == [["one way, 2 KB", "RabbitMQ", "5 x", "4.95 to 5.1", "5"]] * len(names)


def test_the_best_points_are_a_picture_of_their_own(runs):
    svg = best_points([runs[1]])

    assert svg.startswith("<svg")
    assert 'width="' in svg[:400]
    assert "clnp1" in svg


def test_the_floors_say_when_the_machine_changed(runs):
    after = RunFolder.existing(runs[1].path)
    about = after.about()
    about["sittings"][0]["floors"] = {**about["sittings"][0]["floors"], "sync_us": 400.0}
    from penstock.lab.report.regression import moved_floors

    assert moved_floors(runs[0].about(), about) == "sync_us 200 to 400"
