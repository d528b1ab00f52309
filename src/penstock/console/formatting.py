"""Numbers, times and sizes as people read them, and live values; the templates use these."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from penstock.tools.durations import largest_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.console.visit import Visit

SPARK_WIDTH, SPARK_HEIGHT = 120, 28


def number(value: float) -> str:
    """Return a number with groups of three digits.

    >>> number(12311), number(0)
    ('12,311', '0')
    """
    return f"{value:,.0f}"


def rate(value: float | None) -> str:
    """Return a rate per second.

    >>> rate(1204.4), rate(0.25), rate(0), rate(None)
    ('1,204/s', '0.2/s', '0/s', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return f"{value:,.0f}/s" if value >= 10 or not value else f"{value:.1f}/s"


def age(seconds: float) -> str:
    """Return a duration in its two largest units.

    >>> age(4), age(75), age(90061)
    ('4 s', '1 min 15 s', '1 d 1 h')
    """
    return " ".join(f"{count} {unit}" for count, unit in largest_units(seconds))


def ago(moment: float | None) -> str:
    """Return how long ago a time was; nothing for none."""
    return age(time.time() - moment) if moment else ""


def moment(when: float | None) -> str:
    """Return a time in UTC to the millisecond; nothing for none."""
    if not when:
        return ""
    return datetime.fromtimestamp(when, UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")


def size(count: float) -> str:
    """Return a number of bytes.

    >>> size(17), size(2048), size(5 << 20)
    ('17 B', '2.0 KB', '5.0 MB')
    """
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def live(visit: Visit, key: str, text: str) -> Markup:
    """Return a value that a page keeps current."""
    visit.live[key] = text
    return Markup('<span data-live="{}">{}</span>').format(key, text)


def bar(visit: Visit, key: str, share: float, alarm: bool | None = None) -> Markup:
    """Return a bar that is filled to a share between 0 and 1; without `alarm` a full one alarms."""
    filled = f"{100 * min(1.0, max(0.0, share)):.1f}"
    visit.live[f"{key}#width"] = filled
    kind = " full" if (share >= 0.8 if alarm is None else alarm) else ""
    return Markup(
        '<svg class="bar{}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="room" width="100" height="6"/>'
        '<rect class="fill" data-live-width="{}" width="{}" height="6"/></svg>'
    ).format(kind, f"{key}#width", filled)


def spark(visit: Visit, key: str, values: Sequence[float], label: str, wide: bool = False) -> Markup:
    """Return a small chart of values that end now; gaps stay gaps."""
    width, height = (720, 120) if wide else (SPARK_WIDTH, SPARK_HEIGHT)
    line = path_of(values, width, height)
    visit.live[f"{key}#path"] = line
    known = [value for value in values if not math.isnan(value)]
    said = (
        f"{label}: now {number(known[-1])}, highest {number(max(known))}" if known else f"{label}: no samples"
    )
    return Markup(
        '<svg class="spark{}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<path d="{}" data-live-path="{}"/></svg>'
    ).format(" wide" if wide else "", width, height, said, line, f"{key}#path")


def path_of(values: Sequence[float], width: int, height: int) -> str:
    """Return the line of a chart: from zero to the highest value, the newest at the right.

    >>> path_of([0.0, 2.0], 10, 12)
    'M0.0 11.0L10.0 1.0'
    """
    highest = max((value for value in values if not math.isnan(value)), default=0.0) or 1.0
    step = width / max(1, len(values) - 1)
    parts, pen = [], "M"
    for place, value in enumerate(values):
        if math.isnan(value):
            pen = "M"
            continue
        parts.append(f"{pen}{place * step:.1f} {height - 1 - value / highest * (height - 2):.1f}")
        pen = "L"
    return "".join(parts)


def facts(value: Any) -> str:
    """Return a value of a list of facts."""
    return str(escape("" if value is None else value))
