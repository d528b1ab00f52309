"""Round trips without think time and with rising numbers of applications.

Three bindings, persistent and not, 2, 20 and 200 KB. Applications are doubled until the rate falls; the
number with the highest rate is run again, several times, for a median and its spread. No targets: the
published figures stand beside ours as context.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures
from penstock.lab.load import bindings, round_trip
from tests.bench import published

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.bindings import Binding
    from penstock.lab.load.crew import Observation
    from penstock.lab.load.setting import Setting

APPS = (1, 2, 4, 8, 16, 32)
APPS_QUICK = (1, 4)
KILOBYTES = (2, 20, 200)
FALLEN = 0.9  # of the best: more applications bring less
FALLS_MAX = 2  # in a row
WARM_SECONDS = 0.3
COLUMNS = (
    "binding, persistence, length",
    "apps at peak",
    "round trips /s",
    "lowest",
    "highest",
    "mean ms",
    "p99 ms",
    "µs each",
    "server %",
    "apps %",
    "MQ V5.3, 2002",
)


def measure(setting: Setting) -> Iterator[Result]:
    apps = APPS_QUICK if setting.quick else APPS
    rising = Figures(
        "Round trips a second by number of applications", ("binding, persistence, length", *map(str, apps))
    )
    peaks = Figures(
        "Round trips without think time: the peak",
        COLUMNS,
        note="µs: processor time of a round trip; % of one core",
    )
    for name in bindings.available():
        for persistent in (False, True):
            with bindings.bound(name, setting.folder, round_trip.DEFINITIONS) as binding:
                for kilobytes in KILOBYTES[:1] if setting.quick else KILOBYTES:
                    rates, peak = climb(setting, binding, persistent, kilobytes, apps)
                    what = f"{name}, {'persistent' if persistent else 'non-persistent'}, {kilobytes} KB"
                    rising.lines.append([what, *rates])
                    context = published.ZERO_THINK_TIME.get((name, persistent, kilobytes), "")
                    peaks.lines.append(
                        [what, *again(setting, binding, persistent, kilobytes, peak), str(context)]
                    )
    yield rising
    yield peaks


def climb(
    setting: Setting, binding: Binding, persistent: bool, kilobytes: int, apps: tuple[int, ...]
) -> tuple[list[str], int]:
    """Run with more and more applications until the rate falls; return the rates and the best number."""
    best = 0.0
    falls = 0
    peak = apps[0]
    shown = []
    for number in apps:
        rate = run(setting, binding, number, persistent, kilobytes).rates[round_trip.DRIVER]
        shown.append(f"{rate:,.0f}")
        if rate > best:
            best, peak = rate, number
        falls = falls + 1 if rate < FALLEN * best else 0
        if falls == FALLS_MAX:
            break
    return shown + [""] * (len(apps) - len(shown)), peak


def again(setting: Setting, binding: Binding, persistent: bool, kilobytes: int, apps: int) -> list[str]:
    """Run with the best number of applications, as many times as there are rounds."""
    seen = [run(setting, binding, apps, persistent, kilobytes) for _ in range(setting.repeats)]
    rates = [each.rates[round_trip.DRIVER] for each in seen]
    return [
        str(apps),
        f"{median(rates):,.0f}",
        f"{min(rates):,.0f}",
        f"{max(rates):,.0f}",
        f"{1000 * apps / median(rates):.2f}",
        f"{median(each.percentile_ms(round_trip.DRIVER, 99) for each in seen):.2f}",
        f"{median(each.usage.microseconds(each.rates[round_trip.DRIVER]) for each in seen):.0f}",
        f"{median(each.usage.server for each in seen):.0f}",
        f"{median(each.usage.load for each in seen):.0f}",
    ]


def run(setting: Setting, binding: Binding, apps: int, persistent: bool, kilobytes: int) -> Observation:
    """Run one number of applications for a window."""
    tasks = round_trip.servers(binding.connect, persistent)
    tasks += round_trip.drivers(binding, apps, bytes(kilobytes * 1024), persistent)
    with setting.crew(tasks, threads=binding.threads) as crew:
        return crew.observe(WARM_SECONDS, 0.3 if setting.quick else 0.6, binding.sessions)
