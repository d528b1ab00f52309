"""What programs here asked for: queues and queue managers that a partial repository has to know.

A name that is not known is asked of two full repositories of each cluster, and stays interesting for 30 days
after its last use. Who asks for a queue manager is sent queue-manager aliases of this name, too. An open of
the name waits for the first yes, for a no of every cluster, or for 10 seconds; `Question` is that wait, and
knows who is to be woken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.clusters import record
from penstock.qmgr.clusters.exchange import ASK
from penstock.qmgr.clusters.record import MEMBER, QUEUE
from penstock.qmgr.clusters.state import WANT
from penstock.qmgr.clusters.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.clusters.state import Name

ANSWER_SECONDS = 10.0
QUESTIONS_MAX = 10_000  # at once
NOUNS = {QUEUE: "queue", MEMBER: "queue manager"}


@dataclass(slots=True)
class Question:
    """A name that full repositories were asked for."""

    name: str
    waiting: set[str]  # clusters without an answer
    asked_at: float
    done: bool = False
    wakers: list[Callable[[], None]] = field(default_factory=list)

    def finish(self) -> None:
        """Wake everybody who waits."""
        self.done = True
        wakers, self.wakers = self.wakers, []
        for wake in wakers:
            wake()


class Interest:
    """The names that this queue manager asks full repositories for."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.questions: dict[Name, Question] = {}
        self._unanswered: dict[Name, float] = {}  # when the question was given up

    def look_up(self, key: Name, now: float, known: bool, needed: bool = True) -> None:
        """Have a queue or queue manager asked for if that is due; 2189 while the answer is not here.

        The error names the question; `known` is whether an instance is known, which needs no waiting. What
        is not `needed` is not found rather than refused if nobody answers.
        """
        clusters = self.clusters
        partial = [cluster for cluster in clusters.inside if not clusters.is_full(cluster)]
        if not partial:
            return
        used = clusters.state.wanted.get(key)
        question = self.questions.get(key)
        if used is not None and question is None and key not in self._unanswered:
            if clusters.state.clock.seconds - used > record.FRESH_SECONDS:
                work = Work(clusters, now)
                work.note(WANT, *key, work.clock)
                work.finish()
            return
        given_up = self._unanswered.get(key)
        recently = given_up is not None and 0 <= now - given_up < ANSWER_SECONDS
        if question is None and not recently and len(self.questions) < QUESTIONS_MAX:
            question = self._ask(key, partial, now)
        if known:
            return
        self.await_answer(key)
        if needed:
            raise error(
                mq.MQRC_CLUSTER_RESOLUTION_ERROR,
                f"no full repository of {', '.join(partial)} has answered whether {_named(key)} exists",
                object=key[1],
            )

    def await_answer(self, key: Name) -> None:
        """Raise 2189 with the question, if full repositories are being asked for a name."""
        question = self.questions.get(key)
        if question is not None:
            raise error(
                mq.MQRC_CLUSTER_RESOLUTION_ERROR,
                f"the full repositories have not answered yet whether {_named(key)} exists",
                object=key[1],
                question=question,
            )

    def _ask(self, key: Name, partial: list[str], now: float) -> Question | None:
        clusters = self.clusters
        work = Work(clusters, now)
        work.note(WANT, *key, work.clock)
        asked = set()
        for cluster in partial:
            for channel in clusters.members_part.repository_channels(cluster):
                me = clusters.exchange.packed(clusters.exchange.own_members(cluster), work.clock)
                work.send(channel, ASK, cluster, me=me, names=[list(key)])
                asked.add(cluster)
        work.finish()
        if not asked:
            self._unanswered[key] = now
            return None
        self._unanswered.pop(key, None)
        question = self.questions[key] = Question(key[1], asked, now)
        return question

    def want(self, key: Name, now: float) -> None:
        """Want something from now on, without waiting for it."""
        if key not in self.clusters.state.wanted:
            partial = [each for each in self.clusters.inside if not self.clusters.is_full(each)]
            self._ask(key, partial, now)

    def answered(self, cluster: str, names: list[Name], work: Work) -> None:
        """Note that a full repository has answered for some names."""
        for name in names:
            question = self.questions.get(name)
            if question is None:
                continue
            question.waiting.discard(cluster)
            if not question.waiting or self.clusters.knows(name):
                del self.questions[name]
                question.finish()

    def tick(self, now: float) -> None:
        """Stop waiting for questions that were not answered in time."""
        for key, question in list(self.questions.items()):
            if not 0 <= now - question.asked_at < ANSWER_SECONDS:
                del self.questions[key]
                self._unanswered[key] = now
                question.finish()


def _named(key: Name) -> str:
    kind, name = key
    return f"{NOUNS[kind]} {name}"
