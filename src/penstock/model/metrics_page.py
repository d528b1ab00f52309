"""A page of metrics in the text format of Prometheus: names, help, types, labels, histograms.

Written by queue managers, brokers and the web process, each with its own figures.
Invariant: every value is a number, every label is escaped, and the lines of one metric are together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[Mapping[str, str], float]


class Page:
    """A page whose lines all have some labels."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = dict(labels)
        self._lines: list[str] = []

    @property
    def text(self) -> str:
        """The page."""
        return "\n".join(self._lines) + "\n"

    def add(self, metric: str, kind: str, about: str, samples: Iterable[Sample]) -> None:
        """Add a metric with its samples."""
        self._begin(metric, kind, about)
        self._lines.extend(self._line(metric, labels, value) for labels, value in samples)

    def add_histogram(
        self,
        metric: str,
        about: str,
        bounds: Sequence[float],
        samples: Iterable[tuple[Mapping[str, str], Sequence[int], float]],
    ) -> None:
        """Add a histogram: for each sample the counts between bounds (one more than bounds), and the sum."""
        self._begin(metric, "histogram", about)
        for labels, counts, total in samples:
            reached = 0
            for bound, count in zip((*bounds, float("inf")), counts, strict=True):
                reached += count
                text = "+Inf" if bound == float("inf") else f"{bound:g}"
                self._lines.append(self._line(f"{metric}_bucket", {**labels, "le": text}, reached))
            self._lines.append(self._line(f"{metric}_sum", labels, total))
            self._lines.append(self._line(f"{metric}_count", labels, reached))

    def _begin(self, metric: str, kind: str, about: str) -> None:
        self._lines += [f"# HELP penstock_{metric} {about}", f"# TYPE penstock_{metric} {kind}"]

    def _line(self, metric: str, labels: Mapping[str, str], value: float) -> str:
        named = {**self._labels, **labels}
        inside = ",".join(f'{name}="{_escaped(text)}"' for name, text in named.items())
        return f"penstock_{metric}{{{inside}}} {float(value):.17g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
