"""A get by correlation id or message id on a queue of ten messages and on one of a million.

Each get is timed alone and the clock's own cost is taken off; the message is put back untimed, so the
depth stays. Ids come about in the order in which the messages were put, as those of replies do. Ids in
random order are measured too: a million messages do not fit the processor's caches, which no index can
change, so the same walk over a plain dict of as many objects is shown beside that.
"""

from __future__ import annotations

import random
from functools import partial
from itertools import cycle, islice
from statistics import median
from time import perf_counter, perf_counter_ns
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures, Result, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator

    import penstock
    from penstock.lab.load.setting import Setting

TARGET = at_most(1.5)
SHALLOW = 10
DEEP = 1_000_000
BODY = b"tiny"
BUFFER_BYTES = 1 << 34  # so that all of them are in memory; `deep_queue` measures those on disk
SEED = 1
TIMES = 3
KINDS = ("correl_id", "msg_id")
NEIGHBOURS = 100


def measure(setting: Setting) -> Iterator[Result]:
    deep = setting.size(DEEP, 200_000)
    gets = setting.size(10_000, 4_000)
    first = Figures("First get by an id on a deep queue (builds its index)", ("id", "depth", "ms"))
    for kind in KINDS:
        with setting.queue_manager("SHALLOW", "DEEP", default_q_buffer_size=BUFFER_BYTES) as qm:
            shallow = cycle(fill(qm, "SHALLOW", SHALLOW))
            ids = fill(qm, "DEEP", deep)
            first.lines.append([kind, f"{deep:,}", f"{first_get(qm, kind, ids) * 1e3:.0f}"])
            for order, target in ((nearly_in_order, TARGET), (shuffled, None)):
                on_deep = partial(get_ns, qm, "DEEP", kind, cycle(order(ids)), gets)
                on_shallow = partial(get_ns, qm, "SHALLOW", kind, shallow, gets)
                on_shallow()
                values = setting.interleave(on_deep, on_shallow, times=TIMES)
                what = f"get by {kind}, depth {deep:,}" + ("" if target else ", random order")
                yield Row(what, f"depth {SHALLOW}", "ns", *values, target=target)
    yield first
    values = setting.interleave(partial(dict_ns, deep, gets), partial(dict_ns, SHALLOW, gets))
    what = f"for comparison: take and put back, dict of {deep:,}"
    yield Row(what, f"dict of {SHALLOW}", "ns", *values)


def fill(qm: penstock.QueueManager, queue: str, depth: int) -> list[bytes]:
    """Put messages whose message and correlation ids are the same; return the ids."""
    ids = [b"%024d" % number for number in range(depth)]
    for key in ids:
        qm.put(queue, BODY, correl_id=key, msg_id=key)
    return ids


def nearly_in_order(ids: list[bytes]) -> list[bytes]:
    """Return the ids with each group of neighbours shuffled."""
    order = random.Random(SEED)
    groups = [ids[start : start + NEIGHBOURS] for start in range(0, len(ids), NEIGHBOURS)]
    return [key for group in groups for key in order.sample(group, len(group))]


def shuffled(ids: list[bytes]) -> list[bytes]:
    return random.Random(SEED).sample(ids, len(ids))


def first_get(qm: penstock.QueueManager, kind: str, ids: list[bytes]) -> float:
    """Return the seconds that the get which builds the index takes."""
    key = ids[0]
    began = perf_counter()
    found = qm.get("DEEP", **{kind: key})
    seconds = perf_counter() - began
    assert found is not None
    qm.put("DEEP", BODY, correl_id=key, msg_id=key)
    return seconds


def get_ns(qm: penstock.QueueManager, queue: str, kind: str, ids: Iterator[bytes], count: int) -> float:
    """Return the median time of a get by one of the next ids."""
    put, get, clock = qm.put, qm.get, perf_counter_ns
    times = []
    for key in islice(ids, count):
        if kind == "correl_id":
            began = clock()
            found = get(queue, correl_id=key)
            times.append(clock() - began)
        else:
            began = clock()
            found = get(queue, msg_id=key)
            times.append(clock() - began)
        assert found is not None
        put(queue, BODY, correl_id=key, msg_id=key)
    return median(times) - clock_ns()


def dict_ns(size: int, count: int) -> float:
    """Return the time to take an entry out of a dict of objects and put one back, ids in random order."""
    ids = [b"%024d" % number for number in range(size)]
    entries = {key: [key] for key in ids}
    order = list(islice(cycle(shuffled(ids)), count))
    began = perf_counter()
    for key in order:
        entries[key] = [entries.pop(key)]
    return (perf_counter() - began) / count * 1e9


def clock_ns() -> float:
    """Return what reading the clock twice costs."""
    clock = perf_counter_ns
    times = []
    for _ in range(2000):
        began = clock()
        times.append(clock() - began)
    return median(times)
