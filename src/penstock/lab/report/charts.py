"""Charts as Vega-Lite specifications: plain dictionaries, the same ones for print and for the live page.

Rates begin at 0, a logarithmic axis is labelled, bands are 90 % intervals. Published points are hollow and
grey and never joined to ours. Colours are safe for the colour-blind, and dashes differ too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.lab.analysis.curves import Point
    from penstock.lab.catalogue.published import Figure

Spec = dict[str, Any]
COLOURS = ("#0b6e99", "#c8553d", "#3d7a3d", "#7a4fa3")
GREY = "#6b7280"
WIDE, NARROW = 500, 265  # pixels of the plot on a screen and on a phone
HEIGHT = 210
LOG_FROM = 20.0  # an x or y that spans more than this many times gets a logarithmic axis
CONFIG: Spec = {
    "font": "sans-serif",
    "background": None,
    "axis": {
        "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "gridColor": "#e5e7eb",
        "domainColor": "#9ca3af", "tickColor": "#9ca3af", "labelColor": "#374151", "titleColor": "#374151",
    },
    "legend": {"labelFontSize": 11, "titleFontSize": 11, "orient": "top", "labelLimit": 240, "title": None},
    "view": {"stroke": None},
    "title": {"fontSize": 12, "anchor": "start", "fontWeight": 600, "color": "#111827"},
}  # fmt: skip


def curve(
    points: Sequence[Point], metric: str, x_title: str, y_title: str, published: Sequence[Figure] = ()
) -> Spec | None:
    """Return a figure over x, a line for each variant, with bands; None with fewer than two values of x."""
    rows = _rows(points, metric)
    if len({row["x"] for row in rows}) < 2:
        return None
    context = [
        {"x": each.x, "y": float(each.value), "series": each.source}
        for each in published
        if each.x is not None and each.metric == metric
    ]
    encoding = {
        "x": _axis("x", x_title, [row["x"] for row in rows + context]),
        "y": _axis("y", y_title, [row["y"] for row in rows + context], zero=True),
    }
    names = sorted({row["series"] for row in rows})
    scale = {"domain": names, "range": list(COLOURS)}
    colour: Spec = {"field": "series", "type": "nominal", "scale": scale}
    if len(names) == 1:
        colour["legend"] = None
    ours = {"x": encoding["x"], "y": encoding["y"], "color": colour, "tooltip": _tooltip(x_title, y_title)}
    band = {
        "x": encoding["x"],
        "y": {**encoding["y"], "field": "low"},
        "y2": {"field": "high"},
        "color": colour,
    }
    layers: list[Spec] = [
        {"data": {"values": rows}, "mark": {"type": "area", "opacity": 0.18}, "encoding": band},
        {
            "data": {"values": rows},
            "mark": {"type": "line", "point": {"filled": True, "size": 36}, "strokeWidth": 2},
            "encoding": {**ours, "strokeDash": {**colour, "scale": {"domain": names}, "legend": None}},
        },
    ]
    if context:
        layers.append(_published(context, encoding))
    return _framed({"layer": layers})


def _published(context: list[Spec], encoding: Spec) -> Spec:
    legend = {"columns": 1, "labelLimit": 285}  # product, machine and year fit, on a phone too
    shapes = {"range": ["square", "diamond", "triangle-up"]}
    shape = {"field": "series", "type": "nominal", "scale": shapes, "legend": legend}
    return {
        "data": {"values": context},
        "mark": {"type": "point", "filled": False, "size": 55, "color": GREY, "strokeWidth": 1.5},
        "encoding": {"x": encoding["x"], "y": encoding["y"], "shape": shape},
    }


def responses(points: Sequence[Point], x_title: str) -> Spec | None:
    """Return median, 99th and 99.9th percentile of the response over x."""
    names = {"p50_ms": "median", "p99_ms": "99 %", "p999_ms": "99.9 %"}
    first = [point for point in points if point.variant == points[0].variant]
    rows = [{**row, "series": name} for metric, name in names.items() for row in _rows(first, metric)]
    if len({row["x"] for row in rows}) < 2:
        return None
    colour = {
        "field": "series", "type": "nominal", "sort": list(names.values()),
        "scale": {"domain": list(names.values()), "range": list(COLOURS)},
    }  # fmt: skip
    encoding = {
        "x": _axis("x", x_title, [row["x"] for row in rows]),
        "y": _axis("y", "response, ms", [row["y"] for row in rows]),
        "color": colour,
        "strokeDash": {"field": "series", "type": "nominal", "sort": list(names.values()), "legend": None},
        "tooltip": _tooltip(x_title, "ms"),
    }
    mark = {"type": "line", "point": {"filled": True, "size": 30}, "strokeWidth": 2}
    return _framed({"data": {"values": rows}, "mark": mark, "encoding": encoding})


def bars(rows: Sequence[Spec], x_title: str) -> Spec | None:
    """Return one figure for several tests with intervals and its value: bars, or dots on a wide range."""
    if not rows:
        return None
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 170}}
    values = [row["value"] for row in rows]
    wide = min(values) > 0 and max(values) / min(values) > LOG_FROM  # bars begin at 0, dots need not
    x = _axis("value", x_title, values, zero=not wide)
    ends: Spec = {"high": {**x, "field": "high"}, "low": {**x, "field": "low"}}
    mark = (
        {"type": "point", "filled": True, "size": 60} if wide else {"type": "bar", "height": {"band": 0.65}}
    )
    tooltip = [{"field": "name"}, {"field": "value", "format": ",.4~g"}]
    layers = [
        {"mark": {**mark, "color": COLOURS[0]}, "encoding": {"y": y, "x": x, "tooltip": tooltip}},
        {
            "mark": {"type": "rule", "color": "#111827"},
            "encoding": {"y": y, "x": ends["low"], "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 10, "color": "#374151"},
            "encoding": {"y": y, "x": ends["high"], "text": {"field": "value", "format": ",.3~r"}},
        },
    ]
    return _framed({"data": {"values": list(rows)}, "layer": layers}, height={"step": 19})


def sized(spec: Spec, width: int) -> Spec:
    """Return a specification for a width."""
    return {**spec, "width": width}


def _rows(points: Sequence[Point], metric: str) -> list[Spec]:
    found = []
    for point in points:
        interval = point.interval(metric)
        if interval is not None and point.x is not None:
            ends = {"low": interval.low, "high": interval.high}
            found.append(
                {"x": point.x, "y": interval.middle, **ends, "series": point.variant or "measured here"}
            )
    return found


def _axis(field: str, title: str, values: Sequence[float], *, zero: bool = False) -> Spec:
    positive = [value for value in values if value > 0]
    axis: Spec = {"field": field, "type": "quantitative", "title": title}
    if zero:
        return {**axis, "scale": {"zero": True}}
    if positive and len(positive) == len(values) and max(positive) / min(positive) > LOG_FROM:
        scale = {"type": "log", "nice": False}
        return {**axis, "title": f"{title} (logarithmic)", "scale": scale, "axis": {"tickCount": 5}}
    whole = {"axis": {"tickMinStep": 1}} if all(float(value).is_integer() for value in values) else {}
    return {**axis, "scale": {"zero": field == "y", "nice": False}, **whole}


def _tooltip(x_title: str, y_title: str) -> list[Spec]:
    return [
        {"field": "series", "title": "what"},
        {"field": "x", "title": x_title, "type": "quantitative"},
        {"field": "y", "title": y_title, "type": "quantitative", "format": ",.4~g"},
    ]


def _framed(spec: Spec, height: Any = HEIGHT) -> Spec:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": WIDE,
        "height": height,
        "config": CONFIG,
        **spec,
    }
