"""Figures of a queue manager in the text format of Prometheus.

Only names what `model/status.py` holds; `model/metrics_page.py` writes it. Called by `metrics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.metrics_page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.model.status import (
        ChannelFigures,
        Histogram,
        MessageChannelFigures,
        QueueFigures,
        ReservationFigures,
        Status,
        SubscriptionFigures,
        TopicFigures,
    )

_ENGINE = (
    ("connections", "conns", "connections of programs, local and remote"),
    ("units", "logged_units", "units of work under way"),
    ("oldest_unit_seconds", "oldest_unit_seconds", "age of the oldest unit of work"),
    ("prepared_units", "prepared_units", "units that wait for an outside decision"),
    ("waiters", "waiters", "gets that wait for a message"),
    ("queues", "queues", "local queues"),
    ("messages", "messages", "messages on all queues"),
    ("message_memory_bytes", "memory_bytes", "memory that messages take"),
    ("spilled_messages", "spilled_messages", "messages whose bodies are on disk only"),
    ("topics", "topics", "topics in use"),
    ("subscriptions", "subscriptions", "subscriptions, durable and not"),
)
_LOG = (
    ("log_used_bytes", "used_bytes", "gauge", "log that a restart needs"),
    ("log_capacity_bytes", "capacity_bytes", "gauge", "how much log there may be"),
    ("log_syncs_total", "syncs", "counter", "syncs of the log"),
    ("log_records_total", "records", "counter", "records written to the log"),
    ("log_written_bytes_total", "bytes_written", "counter", "bytes written to the log"),
    ("log_batch_records_mean", "batch_records_mean", "gauge", "records that one sync carried, on average"),
    ("log_batch_records_max", "batch_records_max", "gauge", "records that one sync carried, at most"),
    ("log_sync_seconds_last", "sync_seconds_last", "gauge", "what the last sync took"),
    ("log_sync_seconds_mean", "sync_seconds_mean", "gauge", "what a sync took on average"),
    ("log_sync_seconds_max", "sync_seconds_max", "gauge", "what the slowest sync took"),
    ("checkpoints_total", "checkpoints", "counter", "checkpoints"),
    ("checkpoint_seconds_total", "checkpoint_seconds", "counter", "time that checkpoints took, in all"),
    ("checkpoint_last_timestamp_seconds", "checkpoint_last", "gauge", "when the last one was finished"),
)


_QUEUE = (  # metric, figure, kind, help
    ("queue_depth", "depth", "gauge", "messages on a queue"),
    ("queue_depth_limit", "depth_max", "gauge", "messages that a queue may hold (MAXDEPTH)"),
    ("queue_depth_high", "depth_high", "gauge", "highest depth since the start or RESET QSTATS"),
    ("queue_input_handles", "readers", "gauge", "programs that have a queue open for input"),
    ("queue_output_handles", "writers", "gauge", "programs that have a queue open for output"),
    ("queue_waiters", "waiting", "gauge", "gets that wait for a message"),
    ("queue_last_put_timestamp_seconds", "last_put", "gauge", "when the last message was put"),
    ("queue_last_get_timestamp_seconds", "last_get", "gauge", "when the last message was got"),
    ("queue_put_messages_total", "puts", "counter", "messages put"),
    ("queue_put_bytes_total", "put_bytes", "counter", "bytes put"),
    ("queue_got_messages_total", "gets", "counter", "messages got"),
    ("queue_got_bytes_total", "get_bytes", "counter", "bytes got"),
    ("queue_browsed_messages_total", "browses", "counter", "messages browsed"),
    ("queue_failed_puts_total", "puts_failed", "counter", "puts that were refused"),
    ("queue_failed_gets_total", "gets_failed", "counter", "gets that were refused"),
    ("queue_empty_gets_total", "gets_empty", "counter", "gets that found no message"),
    ("queue_undone_puts_total", "puts_undone", "counter", "puts that were backed out"),
    ("queue_undone_gets_total", "gets_undone", "counter", "gets that were backed out"),
    ("queue_expired_messages_total", "expired", "counter", "messages that expired"),
    ("queue_purged_messages_total", "purged", "counter", "messages that CLEAR or DELETE removed"),
    ("queue_wait_seconds_total", "wait_seconds", "counter", "time that got messages were on a queue, in all"),
)


def text_of(
    status: Status,
    queues: Iterable[QueueFigures],
    now: float,
    dead_letters: int = 0,
    topics: Iterable[TopicFigures] = (),
    subscriptions: Iterable[SubscriptionFigures] = (),
) -> str:
    """Return a page of metrics."""
    page = Page({"qmgr": status.name})
    add = page.add
    add("start_time_seconds", "gauge", "when the queue manager started", [({}, status.started)])
    for metric, key, about in _ENGINE:
        add(metric, "gauge", about, [({}, getattr(status, key))])
    for metric, key, kind, about in _LOG:
        add(metric, kind, about, [({}, getattr(status.log, key))])
    _add_histogram(page, "log_sync_seconds", "what a sync of the log took", status.log.sync_times)
    waits = "how long got messages were on their queues"
    _add_histogram(page, "queue_wait_seconds", waits, status.wait_times)
    add("disk_low", "gauge", "1 when the disk is nearly full", [({}, float(status.disk_low))])
    add("dead_letters", "gauge", "messages on the dead-letter queue", [({}, dead_letters)])
    _add_queues(add, list(queues), now)
    _add_topics(add, status, list(topics), list(subscriptions))
    _add_flows(add, status.reservations, now)
    if status.channels is not None:
        _add_channels(add, status.channels)
    if status.message_channels:
        _add_message_channels(add, status.message_channels)
    return page.text


def _add_queues(add: Callable[..., None], queues: list[QueueFigures], now: float) -> None:
    for metric, key, kind, about in _QUEUE:
        add(metric, kind, about, [({"queue": each.queue}, getattr(each, key)) for each in queues])
    ages = [({"queue": each.queue}, max(0.0, now - each.oldest) if each.oldest else 0.0) for each in queues]
    add("queue_oldest_message_age_seconds", "gauge", "age of the oldest message", ages)


def _add_histogram(page: Page, metric: str, about: str, found: Histogram) -> None:
    if found.counts:
        page.add_histogram(metric, about, found.bounds, [({}, found.counts, found.total)])


def _add_topics(
    add: Callable[..., None],
    status: Status,
    topics: list[TopicFigures],
    subscriptions: list[SubscriptionFigures],
) -> None:
    add("published_messages_total", "counter", "publications", [({}, status.published)])
    add("delivered_messages_total", "counter", "copies for subscribers", [({}, status.delivered)])
    by_topic = [({"topic": each.topic}, each) for each in topics]
    about = "publications to the topic of a TOPIC object"
    add("topic_published_messages_total", "counter", about, [(at, each.published) for at, each in by_topic])
    about = "copies of them for subscribers"
    add("topic_delivered_messages_total", "counter", about, [(at, each.delivered) for at, each in by_topic])
    about = "copies for a durable subscription"
    got = [
        ({"subscription": each.subscription, "topic": each.topic}, each.delivered) for each in subscriptions
    ]
    add("subscription_delivered_messages_total", "counter", about, got)


def _add_flows(add: Callable[..., None], flows: list[ReservationFigures], now: float) -> None:
    held = [({"flow": each.flow, "queue": each.queue}, each) for each in flows if each.n is not None]
    add("reserved_messages", "gauge", "messages that a flow holds", [(at, each.rows) for at, each in held])
    add("reserved_bytes", "gauge", "bytes that a flow holds", [(at, each.bytes) for at, each in held])
    ages = [(at, max(0.0, now - each.since)) for at, each in held if each.since is not None]
    add("reservation_age_seconds", "gauge", "how long a flow has held its messages", ages)


def _add_channels(add: Callable[..., None], channels: ChannelFigures) -> None:
    add("links", "gauge", "sockets of clients", [({}, channels.links)])
    add("conversations", "gauge", "conversations on them", [({}, channels.conversations)])
    running = [({"channel": name}, count) for name, count in sorted(channels.instances.items())]
    add("channel_instances", "gauge", "running instances of a channel", running)


_MESSAGE_CHANNELS = (
    ("waiting_messages", "waiting_messages", "messages that wait to be sent"),
    ("waiting_bytes", "waiting_bytes", "bytes of their bodies"),
    ("oldest_seconds", "oldest_seconds", "age of the oldest message that waits"),
    ("messages", "messages", "messages sent or put since the channel started"),
    ("confirmed_per_second", "confirmed_per_second", "messages that arrived for certain, a second, lately"),
    ("batch_messages", "batch_size", "messages in a batch, lately"),
    ("in_doubt_batches", "in_doubt", "batches whose end is not known"),
    ("in_doubt_seconds", "in_doubt_seconds", "age of the oldest of them"),
    ("health", "health", "0 well, 1 look at it, 2 messages wait and do not move"),
)


def _add_message_channels(add: Callable[..., None], channels: list[MessageChannelFigures]) -> None:
    labels = [{"channel": each.channel, "type": each.type, "partner": each.partner} for each in channels]
    for metric, key, about in _MESSAGE_CHANNELS:
        samples = [(at, getattr(each, key)) for at, each in zip(labels, channels, strict=True)]
        add(f"channel_{metric}", "gauge", about, samples)
    total = [(at, each.confirmed) for at, each in zip(labels, channels, strict=True)]
    add("channel_confirmed_messages_total", "counter", "messages that have arrived for certain", total)
    lost = {(each.channel, each.type): each.undelivered.number for each in channels}
    about = "messages that this end has not put or sent: dead letters, and discarded ones"
    samples = [({"channel": name, "type": kind}, number) for (name, kind), number in lost.items()]
    add("channel_undelivered_messages_total", "counter", about, samples)
