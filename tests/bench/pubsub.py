"""Publish/subscribe, embedded: what a publish costs, alone and with rising numbers of subscribers.

The floor is `queue.SimpleQueue.put`. Fan-out rows compare the cost of each further subscriber at 1,000 with
that at 48, the size of the cache of the report that they answer: there is no step. Subscribing is
compared with and without a million unused topics. Processor time of the thread, where nothing waits.
"""

from __future__ import annotations

import gc
import queue
from functools import partial
from statistics import median
from threading import Thread
from time import perf_counter, process_time, sleep, thread_time
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures, Result, Row, at_most
from tests.bench.topic_displays import displays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import penstock
    from penstock.lab.load.setting import Setting

TIMES = 3
COUNTS = (1, 10, 48, 100, 500, 1000)
TRIPLETS = 4
RATE = 500  # messages a second of each publisher
BATCH = 20  # publications in a unit of work
PASSES = 8  # through the chart of rising numbers, so that what slows one number down slows all
HELD_MAX = 2000  # messages that wait for their subscribers in the chart of rising numbers
KILOBYTE = bytes(1024)
ALONE, FURTHER, STEP, SUBSCRIBE = at_most(20), at_most(40), at_most(1.2), at_most(1.2)
XML = b"<Quote><Name>IBM</Name><Price>101</Price><Note>" + b"x" * 950 + b"</Note></Quote>"


def measure(setting: Setting) -> Iterator[Result]:
    yield from alone(setting)
    yield from fan_out(setting)
    yield rising(setting)
    yield from triplets(setting)
    yield from routing(setting)
    yield from topics(setting)
    yield displays(setting)


def alone(setting: Setting) -> Iterator[Result]:
    """Publishes that nobody subscribes to."""
    rounds = setting.size(50_000, 10_000)
    with setting.queue_manager() as qm:
        shared = partial(publish, qm, ["null/shared"], KILOBYTE, rounds)
        shared()
        values = setting.interleave(shared, partial(floor, rounds), times=TIMES)
        yield Row("publish, no subscriber, one topic", "SimpleQueue.put", "ns", *values, target=ALONE)
        many = [f"null/isolated/{number}" for number in range(1000)]
        isolated = partial(publish, qm, many, KILOBYTE, rounds)
        values = setting.interleave(isolated, shared, times=TIMES)
        yield Row("the same, 1,000 topics in turn", "one topic", "ns", *values)


def fan_out(setting: Setting) -> Iterator[Result]:
    """One topic with rising numbers of subscribers, not persistent and persistent."""
    with setting.queue_manager() as qm:
        qm.mqsc("ALTER QMGR MAXHANDS(999999)")
        for count in (1, 48, 1000):
            subscribe_many(qm, f"fan/{count}", count, durable=False)
        rounds = setting.size(300, 60)
        further = partial(cost_of_further, qm, 1000, 1, rounds, persistent=False)
        values = setting.interleave(further, partial(floor, 20_000), times=TIMES)
        yield Row("each further subscriber, 1 to 1,000", "SimpleQueue.put", "ns", *values, target=FURTHER)
        values = both_sides(setting, qm, {1: 20, 48: 20, 1000: 3}, setting.size(60, 12), persistent=False)
        yield Row("each further subscriber, beyond 48", "up to 48", "ns", *values, target=STEP)
    with setting.queue_manager() as qm:
        qm.mqsc("ALTER QMGR MAXHANDS(999999)")
        for count in (1, 48, 200):
            subscribe_many(qm, f"fan/{count}", count, durable=True)
        rounds = setting.size(60, 20)
        units = {1: BATCH * 3, 48: BATCH * 3, 200: BATCH * 2}
        values = both_sides(setting, qm, units, setting.size(6, 2), persistent=True)
        yield Row("the same, persistent, in units of 20", "up to 48", "ns", *values)
        values = setting.interleave(
            partial(publish_and_drain, qm, "fan/1", rounds * 4), partial(put_and_get, qm, rounds * 4)
        )
        yield Row("publish + get, persistent, 1 subscriber", "put + get on a queue", "ns", *values)


def rising(setting: Setting) -> Figures:
    """The chart of the report: rates and times as subscribers are added to one topic."""
    columns = ("subscribers", "publications/s", "messages/s", "us a publish", "ns a further subscriber")
    table = Figures("One topic, rising subscribers, 1 KB, not persistent", columns)
    before = 0.0, 0
    with setting.queue_manager() as qm:
        qm.mqsc("ALTER QMGR MAXHANDS(999999)")
        for count in COUNTS:
            subscribe_many(qm, f"fan/{count}", count, durable=False)
        passes = [rising_pass(setting, qm) for _ in range(PASSES)]
    for count in COUNTS:
        taken = median(each[count] for each in passes)
        further = f"{(taken - before[0]) / (count - before[1]):.0f}" if before[1] else ""
        rate = 1e9 / taken
        table.lines.append(
            [str(count), f"{rate:,.0f}", f"{rate * count:,.0f}", f"{taken / 1000:.2f}", further]
        )
        before = taken, count
    return table


def rising_pass(setting: Setting, qm: penstock.QueueManager) -> dict[int, float]:
    """Go through the numbers of subscribers once; return the time of a publish to each."""
    found = {}
    for count in COUNTS:
        rounds = max(20, setting.size(100_000, 20_000) // PASSES // count)
        found[count] = timed(qm, f"fan/{count}", rounds, False, max(1, HELD_MAX // count))
    return found


def triplets(setting: Setting) -> Iterator[Result]:
    """Publisher, topic, subscriber, each with its own, at a fixed rate, against the same on queues."""
    seconds = setting.size(3, 1)
    with setting.queue_manager(*(f"PAIR.{number}" for number in range(TRIPLETS))) as qm:
        names = [qm.subscribe(f"triplet/{number}").queue for number in range(TRIPLETS)]
        by_topic = [(partial(qm.publish, f"triplet/{n}"), name) for n, name in enumerate(names)]
        by_queue = [(partial(qm.put, f"PAIR.{n}"), f"PAIR.{n}") for n in range(TRIPLETS)]
        values = setting.interleave(
            partial(rated, qm, by_topic, seconds), partial(rated, qm, by_queue, seconds)
        )
        what = f"{TRIPLETS} triplets, {RATE:,}/s each: processor time a message"
        yield Row(what, "point to point", "ns", *values)


def rated(
    qm: penstock.QueueManager, pairs: list[tuple[Callable[[bytes], object], str]], seconds: int
) -> float:
    """Send at a fixed rate from a thread each while others get; return processor time a message."""
    count = RATE * seconds

    def send(call: Callable[[bytes], object]) -> None:
        began = perf_counter()
        for number in range(count):
            late = perf_counter() - began - number / RATE
            if late < 0:
                sleep(-late)
            call(KILOBYTE)

    def receive(name: str) -> None:
        for _ in range(count):
            assert qm.get(name, wait=30.0) is not None

    threads = [Thread(target=send, args=(call,)) for call, _ in pairs]
    threads += [Thread(target=receive, args=(name,)) for _, name in pairs]
    began = process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (process_time() - began) / (count * len(pairs)) * 1e9


def routing(setting: Setting) -> Iterator[Result]:
    """A subscription that looks into the body against one that goes by topic alone."""
    rounds = setting.size(5000, 1000)
    with setting.queue_manager() as qm:
        qm.subscribe("by/topic")
        qm.subscribe("by/content", selector="Body.Quote.Price > 100")
        by_content = partial(publish_and_drain, qm, "by/content", rounds)
        values = setting.interleave(by_content, partial(publish_and_drain, qm, "by/topic", rounds))
        yield Row("publish + get, content routing, 1 KB XML", "topic routing", "ns", *values)
        values = setting.interleave(
            partial(publish_and_drain, qm, "by/topic", rounds), partial(put_and_get, qm, rounds)
        )
        yield Row("publish + get, 1 subscriber", "put + get on a queue", "ns", *values)


def topics(setting: Setting) -> Iterator[Result]:
    """What a million unused topics cost: a subscribe, the first row of a display, the sweep."""
    rounds = setting.size(2000, 300)
    count = setting.size(1_000_000, 100_000)
    with setting.queue_manager() as empty, setting.queue_manager() as full:
        for number in range(count):
            full.publish(f"dynamic/{number % 1000}/{number}", b"")
        values = setting.interleave(
            partial(subscribe_cost, full, rounds), partial(subscribe_cost, empty, rounds), times=TIMES
        )
        name = f"subscribe + close, {count:,} unused topics"
        yield Row(name, "no topics", "ns", *values, target=SUBSCRIBE)
        values = setting.interleave(partial(first_row, full), partial(first_row, empty), times=TIMES)
        yield Row(f"first row of DISPLAY TPSTATUS, {count:,} topics", "a few topics", "ns", *values)


def publish(qm: penstock.QueueManager, names: list[str], body: bytes, rounds: int) -> float:
    call = qm.publish
    began = thread_time()
    for _ in range(rounds // len(names)):
        for name in names:
            call(name, body)
    return (thread_time() - began) / (rounds // len(names) * len(names)) * 1e9


def floor(rounds: int) -> float:
    simple: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    put = simple.put
    began = thread_time()
    for _ in range(rounds):
        put(KILOBYTE)
    return (thread_time() - began) / rounds * 1e9


def subscribe_many(qm: penstock.QueueManager, topic: str, count: int, durable: bool) -> None:
    for number in range(count):
        qm.subscribe(topic, **({"durable": f"{topic}/{number}"} if durable else {}))


def cost_of_further(
    qm: penstock.QueueManager, many: int, few: int, rounds: int, *, persistent: bool
) -> float:
    """Return the time per subscriber beyond `few`: publishes to both topics, the difference shared out.

    Every publish finds drained queues, and the clock's own time is in both. Where messages wait, a copy is
    linked to the one before it, which has left the processor's cache: that is the price of a backlog.
    """
    batch = BATCH if persistent else 1
    large = timed(qm, f"fan/{many}", rounds, persistent, batch)
    small = timed(qm, f"fan/{few}", rounds, persistent, batch)
    return (large - small) / (many - few)


def both_sides(
    setting: Setting, qm: penstock.QueueManager, sizes: dict[int, int], slices: int, *, persistent: bool
) -> tuple[list[float], list[float]]:
    """Return the time per subscriber beyond the middle one of three sizes, and up to it, round by round.

    A round goes through the sizes again and again in slices of some milliseconds, forwards and backwards, so
    that whatever slows the machine down slows all of them down. A slice is a number of publications of its
    size; its first ones find the caches as the slice before left them, which a median leaves out.
    """
    few, middle, many = sizes
    batch = BATCH if persistent else 1
    beyond: list[float] = []
    within: list[float] = []
    for _ in range(setting.rounds * TIMES):
        gc.collect()
        taken: dict[int, list[float]] = {size: [] for size in sizes}
        for number in range(slices):
            for size in sizes if number % 2 == 0 else reversed(sizes):
                taken[size].append(timed(qm, f"fan/{size}", sizes[size], persistent, batch))
        each = {size: median(values) for size, values in taken.items()}
        beyond.append((each[many] - each[middle]) / (many - middle))
        within.append((each[middle] - each[few]) / (middle - few))
    return beyond, within


def timed(qm: penstock.QueueManager, topic: str, rounds: int, persistent: bool, batch: int) -> float:
    """Return the time of a publish, the median over batches; draining the queues is not part of it.

    Persistent publications share units of work, so that syncs are left out.
    """
    matched = qm.engine.pubsub.tree.ready(topic, 0.0).matched
    taken: list[float] = []
    while len(taken) * batch < rounds:
        began = thread_time()
        if persistent:
            with qm.unit_of_work():
                for _ in range(batch):
                    qm.publish(topic, KILOBYTE, persistent=True)
        else:
            for _ in range(batch):
                qm.publish(topic, KILOBYTE)
        taken.append((thread_time() - began) / batch)
        with qm.gate:
            for subscription in matched:
                qm.engine.empty_queue(subscription.queue, 0.0)
    return median(taken) * 1e9


def publish_and_drain(qm: penstock.QueueManager, topic: str, rounds: int) -> float:
    (subscription,) = qm.engine.pubsub.tree.ready(topic, 0.0).matched
    name = subscription.queue.name
    persistent = subscription.durable
    began = perf_counter()
    for _ in range(rounds):
        qm.publish(topic, XML, persistent=persistent)
        assert qm.get(name) is not None
    return (perf_counter() - began) / rounds * 1e9


def put_and_get(qm: penstock.QueueManager, rounds: int) -> float:
    qm.mqsc("DEFINE QLOCAL(PAIR)")
    persistent = any(each.durable for each in qm.engine.pubsub.subscriptions.values())
    began = perf_counter()
    for _ in range(rounds):
        qm.put("PAIR", XML, persistent=persistent)
        assert qm.get("PAIR") is not None
    return (perf_counter() - began) / rounds * 1e9


def subscribe_cost(qm: penstock.QueueManager, rounds: int) -> float:
    began = thread_time()
    for number in range(rounds):
        qm.subscribe(f"used/{number % 100}/+").close()
    return (thread_time() - began) / rounds * 1e9


def first_row(qm: penstock.QueueManager) -> float:
    began = perf_counter()
    pieces = qm.mqsc_script(["DISPLAY TPSTATUS('#')"])
    next(piece for piece in pieces if getattr(piece, "attributes", None))
    return (perf_counter() - began) * 1e9
