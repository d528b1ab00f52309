"""The workload algorithm against a second, slow and literal transcription of its rules."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from penstock.qmgr.clusters.choice import Candidates, Chooser, Instance, eligible
from tests.simulation.workload_oracle import chosen_by_oracle, oracle

LISTS = 3_000
SOAK_LISTS = 1_000_000
STORIES, SOAK_STORIES = 40, 20_000  # of choices one after another
STATES = [
    "RUNNING",
    "INACTIVE",
    "BINDING",
    "STARTING",
    "STOPPING",
    "INITIALIZING",
    "RETRYING",
    "STOPPED",
    "PAUSED",
]


def random_list(chance: random.Random) -> list[Instance]:
    several = []
    for place in range(chance.randint(1, 6)):
        several.append(
            Instance(
                "C",
                chance.choice("PQR"),
                "QM",
                f"TO.{place}",
                local=place == 0 and chance.random() < 0.3,
                put_enabled=chance.random() < 0.8,
                queue_rank=chance.choice([0, 0, 1]),
                queue_priority=chance.choice([0, 0, 1]),
                channel_rank=chance.choice([0, 0, 1]),
                channel_priority=chance.choice([0, 0, 1]),
                weight=chance.choice([50, 50, 20]),
                net_priority=chance.choice([0, 0, 1]),
                suspended=chance.random() < 0.2,
                state=chance.choice(STATES),
            )
        )
    return several


def compare(lists: int) -> None:
    for seed in range(lists):
        chance = random.Random(seed)
        several, use_local = random_list(chance), chance.random() < 0.5
        assert eligible(several, use_local) == oracle(several, use_local), f"seed {seed}"


def test_the_choice_is_what_the_rules_say() -> None:
    compare(LISTS)


@pytest.mark.soak
def test_the_choice_is_what_the_rules_say_for_many_lists() -> None:
    compare(SOAK_LISTS)


def compare_stories(stories: int) -> None:
    """Choose for several queues in turn, while channels come, go and change."""
    for seed in range(stories):
        chance, chooser = random.Random(seed), Chooser()
        past: list[str] = []
        several = [Instance("C", each, each, f"TO.{each}") for each in "ABCDE"]
        kept: list[Candidates] = []  # of handles that stay open
        for _ in range(40):
            if chance.random() < 0.1:
                chance.choice(several).weight = chance.choice([50, 50, 10, 30])
                kept.clear()
            if not kept or chance.random() < 0.4:
                some = chance.sample(several, chance.randint(1, 5))
                kept.append(Candidates(some, chance.choice([999, 999, 2, 3])))
            candidates = chance.choice(kept)
            allowed = chosen_by_oracle(candidates.instances, candidates.recent_max, past)
            chosen = chooser.choose(candidates)
            assert chosen in allowed, f"seed {seed} after {past}"
            past.append(chosen.channel)


def test_the_last_steps_choose_what_the_rules_say() -> None:
    compare_stories(STORIES)


@pytest.mark.soak
def test_the_last_steps_choose_what_the_rules_say_for_many_stories() -> None:
    compare_stories(SOAK_STORIES)


def test_equal_channels_take_turns() -> None:
    chooser, three = Chooser(), [Instance("C", each, each, f"TO.{each}") for each in "ABC"]

    chosen = [chooser.choose(Candidates(three, 999)).qmgr for _ in range(9)]

    assert chosen == ["A", "B", "C"] * 3


def test_weights_distribute_over_all_choices() -> None:
    heavy = Instance("C", "A", "A", "TO.A", weight=30)
    light = Instance("C", "B", "B", "TO.B", weight=10)

    chooser = Chooser()
    counts = Counter(chooser.choose(Candidates([heavy, light], 999)).qmgr for _ in range(400))

    assert counts == {"A": 300, "B": 100}


def test_a_choice_for_one_queue_counts_for_another() -> None:
    chooser = Chooser()
    a, b = Instance("C", "A", "A", "TO.A"), Instance("C", "B", "B", "TO.B")
    chooser.choose(Candidates([a], 999))

    assert chooser.choose(Candidates([replace(a), replace(b)], 999)).qmgr == "B"


def test_the_number_of_used_channels_is_limited() -> None:
    chooser, four = Chooser(), [Instance("C", each, each, f"TO.{each}") for each in "ABCD"]
    for instance in four[2:]:
        chooser.choose(Candidates([instance], 999))

    assert {chooser.choose(Candidates(four, 2)).qmgr for _ in range(10)} == {"C", "D"}
