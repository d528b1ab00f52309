"""From how many messages on Spark pays off: what is said, what `--engine auto` decides, and what is kept."""

from __future__ import annotations

from pathlib import Path

from penstock.flow.engines import RATE_MESSAGES_MIN
from penstock.spark.runs.break_even import Measured, decide, for_flow, hint, keep, measured
from penstock.spark.runs.flow_rates import rates_of, remember

FASTER = Measured(
    inline_seconds=0.5, inline_rate=10_000, spark_seconds=8.5, warm_seconds=1.5, spark_rate=20_000
)
SLOWER = Measured(
    inline_seconds=0.5, inline_rate=20_000, spark_seconds=8.5, warm_seconds=1.5, spark_rate=10_000
)


def test_a_later_start_is_made_up_by_a_higher_rate() -> None:
    assert (FASTER.messages(), FASTER.messages(warm=True), SLOWER.messages()) == (160_000, 20_000, None)


def test_the_hint_has_the_measured_number(penstock_home: Path) -> None:
    assert "from about 160,000 messages on" in hint(FASTER)
    assert "as quick here" in hint(SLOWER)
    assert "penstock doctor --measure" in hint()

    keep(FASTER)

    assert measured() == FASTER
    assert "160,000" in hint()


def test_auto_looks_at_backlog_and_session() -> None:
    assert decide(30_000, warm=False, found=FASTER)[0] == "inline"
    assert decide(30_000, warm=True, found=FASTER)[0] == "spark"
    engine, why = decide(200_000, warm=False, found=FASTER)
    assert (engine, "200,000 messages waiting" in why, "measured here" in why) == ("spark", True, True)
    assert decide(10**9, warm=True, found=SLOWER)[0] == "inline"
    assert "a guess" in decide(1, warm=False)[1]


def test_auto_looks_at_what_the_flow_did_before(penstock_home: Path) -> None:
    remember("/shop:orders", "inline", RATE_MESSAGES_MIN, 500.0)
    remember("/shop:orders", "spark", RATE_MESSAGES_MIN - 1, 1.0)  # mostly start: not kept
    rates = rates_of("/shop:orders")

    assert (rates, rates_of("/shop:other")) == ({"inline": 500.0}, {})
    assert decide(10**6, warm=True, found=SLOWER)[0] == "inline"
    engine, why = decide(10**6, warm=True, found=SLOWER, rates=rates, tasks=4)
    assert (engine, "with this flow" in why) == ("spark", True)
    assert decide(10**6, warm=True, found=SLOWER, rates=rates, tasks=1)[0] == "inline"


def test_one_rate_of_a_flow_gives_the_other() -> None:
    heavy = for_flow(SLOWER, {"inline": 1000.0}, tasks=2)
    assert round(1e6 / heavy.spark_rate) == 100 + 950 // 2  # microseconds: its own, and half of what is more
    assert round(for_flow(SLOWER, {"spark": heavy.spark_rate}, tasks=2).inline_rate) == 1000
    assert for_flow(SLOWER, {"spark": 3.0, "inline": 2.0}, tasks=2).spark_rate == 3.0
    assert for_flow(SLOWER, {}, tasks=2) == SLOWER


def test_what_cannot_be_read_counts_as_nothing(penstock_home: Path) -> None:
    (penstock_home / ".spark").mkdir(parents=True)
    (penstock_home / ".spark" / "measured.json").write_text('{"old": 1}')

    assert measured() is None
