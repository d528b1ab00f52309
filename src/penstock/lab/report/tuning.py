# ruff: noqa: E501 - an answer is a line
"""Tuning advice that follows from the figures of a run: a question, and an answer with both measurements.

There is an answer only if both sides were measured. No ratio has a published figure in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.lab.analysis.curves import Point, peak
from penstock.lab.report.numbers import number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Question(NamedTuple):
    """Two tests whose peaks answer a question; the sentence has the ratio, first to second."""

    question: str
    first: str
    second: str
    answer: str


QUESTIONS = (
    Question("Does a message have to be persistent?", "clnp1", "clpm3",
             "Non-persistent round trips of clients are {ratio} times as many as persistent ones: use DEFPSIST(NO) where a message need not survive a restart."),
    Question("Should an application embed the queue manager?", "local_np1_trusted", "local_np1",
             "Embedded round trips are {ratio} times as many as those over the local socket, without a process boundary between application and data."),
    Question("Local socket or client?", "local_np1", "clnp1",
             "Over the local socket there are {ratio} times as many round trips as over TCP: run an application beside its queue manager with a local connection."),
    Question("What do 20 KB cost against 2 KB?", "clnp1", "clnp1_20K",
             "Round trips of 2 KB are {ratio} times as many as those of 20 KB."),
    Question("More instances, or more groups?", "groups_4", "instances_4",
             "Four execution groups process {ratio} times as many messages as four instances of one: threads of one process share its interpreter, processes do not."),
    Question("Does a second group help?", "groups_2", "groups_1",
             "Two groups process {ratio} times as many messages as one on this machine."),
    Question("A topic, or a queue?", "p2p_local_np", "triplets_local_np",
             "Point to point moves {ratio} times as many messages a second as publisher, topic and subscriber."),
    Question("How much does a node cost?", "trivial", "compute_very_complex",
             "The trivial flow processes {ratio} times as many messages as the very complex Compute."),
)  # fmt: skip


def advice(points: Mapping[str, Sequence[Point]]) -> list[tuple[str, str]]:
    """Return the questions that the figures answer."""
    found = []
    for each in QUESTIONS:
        first, second = peak(points.get(each.first, ())), peak(points.get(each.second, ()))
        if first is not None and second is not None:
            ratio = number(first.rate.middle / second.rate.middle)
            quoted = (
                f"({each.first} {number(first.rate.middle)}/s, {each.second} {number(second.rate.middle)}/s)"
            )
            found.append((each.question, f"{each.answer.format(ratio=ratio)} {quoted}"))
    return found
