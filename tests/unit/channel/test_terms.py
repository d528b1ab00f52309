"""Negotiation (A4): both ends work out the same terms from the same two offers."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from penstock.channel import terms
from penstock.channel.terms import Terms
from penstock.model.errors import MQError
from penstock.qmgr.catalogue.attributes import defaults

OFFERS = [
    Terms(batch_size, message_max, fast=fast, heartbeat=heartbeat, window=window)
    for batch_size, message_max, fast, heartbeat, window in itertools.product(
        (1, 50), (0, 1000, 4194304), (True, False), (0, 300), (1, 4, 16)
    )
]


def test_every_pair_of_offers_gives_both_ends_the_same_terms() -> None:
    for one, other in itertools.product(OFFERS, OFFERS):
        both = terms.agreed(one, other)
        assert both == terms.agreed(other, one)
        assert both.batch_size == min(one.batch_size, other.batch_size)
        assert both.heartbeat == max(one.heartbeat, other.heartbeat)
        assert both.fast == (one.fast and other.fast)
        assert both.window == min(one.window, other.window)


def test_the_shorter_message_length_holds_and_0_means_the_partners() -> None:
    assert terms.agreed(Terms(message_max=10), Terms(message_max=20)).message_max == 10
    assert terms.agreed(Terms(message_max=0), Terms(message_max=20)).message_max == 20


def test_an_end_that_says_nothing_of_short_messages_gets_whole_ones() -> None:
    facts = Terms().facts()
    del facts["alike"]
    assert not terms.agreed(Terms(), terms.read(facts)).alike
    assert terms.agreed(Terms(), terms.read(Terms().facts())).alike


def test_another_seqwrap_is_refused() -> None:
    with pytest.raises(MQError) as caught:
        terms.agreed(Terms(wrap=100), Terms(wrap=200))
    assert caught.value.reason == 8072
    assert "100" in caught.value.detail
    assert "200" in caught.value.detail


def test_a_definition_offers_its_attributes_and_never_more_than_maxumsgs() -> None:
    values = {**defaults("CHANNEL", "SDR"), "BATCHSZ": 500, "NPMSPEED": "NORMAL"}
    offer = terms.offered(values, 100, window=99)
    assert offer == Terms(100, 4194304, 999_999_999, False, 300, 16)


@pytest.mark.parametrize("offer", OFFERS[:5])
def test_terms_survive_a_greeting(offer: Terms) -> None:
    assert terms.read(offer.facts()) == offer


@pytest.mark.parametrize(
    "change",
    [{"window": 0}, {"window": 17}, {"batch_size": -1}, {"batch_size": "1"}, {"fast": 1}, {"wrap": 0}],
)
def test_terms_that_cannot_be_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(MQError) as caught:
        terms.read({**replace(Terms()).facts(), **change})
    assert caught.value.reason == 8073
