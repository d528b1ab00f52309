"""What nodes and wires do, counted while they do it: plain numbers, always on.

A guard counts the messages of its node, a `Wire` what passes it. Times cost two clocks a node, so they are
taken of one message in `every` (`Stopwatch`); the time of a node is without that of the nodes behind it. A
`Probe` that is on is shown what its instance's wires carry. One thread writes the numbers of an instance; a
reader may see a message half counted. Compiled through `node_counts.pxd`: every message passes here.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import cython

from penstock.flow.processing import Processing, forward

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Process

BOUNDS_SECONDS = (0.00001, 0.0001, 0.001, 0.01, 0.1, 1.0, 10.0)  # of the histogram of a node's times


@cython.cclass
class NodeCount:
    """The counts of a node: messages, failures, and the times of those messages that were timed."""

    def __init__(self, node: str, type: str) -> None:
        self.node = node
        self.type = type
        self.messages = self.failed = 0
        self.seconds = 0.0
        self.histogram = [0] * (len(BOUNDS_SECONDS) + 1)

    def add_time(self, seconds: float) -> None:
        """Count the time of one message."""
        self.seconds += seconds
        self.histogram[bisect_left(BOUNDS_SECONDS, seconds)] += 1


@cython.cclass
class Stopwatch:
    """Decides which messages of an instance are timed: one in `every`, none for 0."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.left = 1
        self.timing = False
        self.inside = 0.0  # what the nodes behind the present one have taken

    def begin(self) -> None:
        """A message comes from an input."""
        if self.every:
            self.left -= 1
            self.timing = self.left == 0
            if self.timing:
                self.left = self.every
                self.inside = 0.0


@cython.cclass
class Probe:
    """Is shown what the wires of an instance carry while `is_on`."""

    def __init__(self) -> None:
        self.is_on = False

    def saw(self, wire: str, assembly: Assembly) -> None:
        """Look at what a wire carries; changes nothing and raises nothing."""

    def failed(self, node: str, raised: Exception) -> None:
        """A node has failed."""


@cython.cclass
class Wire(Processing):
    """What is behind a terminal, with a count of what came this way; a watch for a wire of an input."""

    def __init__(self, onward: Process, name: str, probe: Probe, watch: Stopwatch | None) -> None:
        self.onward = onward
        self.name = name
        self.probe = probe
        self.watch = watch
        self.messages = 0

    def process(self, assembly: Assembly) -> None:
        """Count an assembly and pass it on."""
        self.messages += 1
        if self.watch is not None:
            self.watch.begin()
        if self.probe.is_on:
            self.probe.saw(self.name, assembly)
        forward(self.onward, assembly)
