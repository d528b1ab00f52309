"""Times in buckets that many processes can fill at once, and the percentiles of what came in between.

Buckets are 1/128 of a power of two wide, so a percentile is at most 0.8 % too high, from a nanosecond to
some 18 minutes. Each process has counters of its own in shared memory and is the only one that writes
them: nothing is locked. The difference of two readings is a window. No clock here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence, Sequence

STEPS = 128  # buckets in a power of two
STEPS_BITS = 7
POWERS_MAX = 40
BUCKETS = STEPS * (POWERS_MAX - STEPS_BITS + 1)


def bucket_of(nanoseconds: int) -> int:
    """Return the bucket of a time.

    >>> bucket_of(0), bucket_of(127), bucket_of(128), bucket_of(256), bucket_of(257)
    (0, 127, 128, 256, 256)
    """
    if nanoseconds < STEPS:
        return max(0, nanoseconds)
    shift = nanoseconds.bit_length() - STEPS_BITS - 1
    return min(BUCKETS - 1, (shift << STEPS_BITS) + (nanoseconds >> shift))


def upper_ns(bucket: int) -> int:
    """Return the largest time that falls into a bucket."""
    if bucket < STEPS:
        return bucket
    shift = (bucket >> STEPS_BITS) - 1
    return (((bucket & (STEPS - 1)) + STEPS + 1) << shift) - 1


def percentile_ns(counts: Sequence[int], percent: float) -> int:
    """Return the upper end of the bucket that holds a percentile (nearest rank); 0 when nothing came."""
    total = sum(counts)
    seen = 0
    for bucket, count in enumerate(counts):
        seen += count
        if count and seen * 100 >= total * percent:
            return upper_ns(bucket)
    return 0


def mean_ns(counts: Sequence[int]) -> float:
    """Return the mean, each time taken as the middle of its bucket; 0 when nothing came."""
    total = sum(counts)
    middles = (count * middle_ns(bucket) for bucket, count in enumerate(counts) if count)
    return sum(middles) / total if total else 0.0


def middle_ns(bucket: int) -> float:
    """Return the middle of a bucket."""
    below = upper_ns(bucket - 1) if bucket else -1
    return (below + 1 + upper_ns(bucket)) / 2


def fold(rows: Iterable[tuple[int, int]]) -> list[int]:
    """Return the counts of all buckets from (bucket, count) pairs."""
    counts = [0] * BUCKETS
    for bucket, count in rows:
        counts[bucket] += count
    return counts


def between(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """Return what came between two readings."""
    return [late - early for early, late in zip(before, after, strict=True)]


def added(readings: Sequence[Sequence[int]]) -> list[int]:
    """Return the counts of several processes together."""
    return [sum(column) for column in zip(*readings, strict=True)] if readings else []


def add(counts: MutableSequence[int], start: int, nanoseconds: int) -> None:
    """Count one time in the buckets that begin at `start`."""
    counts[start + bucket_of(nanoseconds)] += 1
