"""Messages of gets that were given up go back to their queue once, and leave no handle open.

The accident without that: a message comes twice because a close has failed, or handles pile up.
"""

from __future__ import annotations

from typing import Any

import pytest

import penstock
from penstock.client.core.putting_back import put_back
from penstock.client.returned_messages import ReturnedMessages
from penstock.model.message import Message

HANDLE = 7
BROKEN = 2009
FULL = 2053


def put_back_with(kept: ReturnedMessages, failures: dict[str, int]) -> list[tuple[str, Any]]:
    """Put back what is kept, at a queue manager where some verbs fail; return the calls made."""
    made = []
    work = put_back(kept, kept.outside_units())
    try:
        step: Any = work.send(None)
        while True:
            made.append((step.verb, step.arguments.get("handle")))
            if step.verb in failures:
                step = work.throw(penstock.MQError(failures[step.verb], "refused"))
            else:
                step = work.send([HANDLE])
    except StopIteration:
        return made
    except penstock.MQError as failure:
        return [*made, ("raised", failure.reason)]


@pytest.fixture
def kept() -> ReturnedMessages:
    """One message of a get that was given up."""
    found = ReturnedMessages()
    found.add("APP.Q", 0, None, Message(b"seen by nobody"))
    return found


def test_a_message_whose_handle_cannot_be_closed_is_not_put_twice(kept: ReturnedMessages) -> None:
    made = put_back_with(kept, {"close": BROKEN})
    assert made == [("open", None), ("put", HANDLE), ("close", HANDLE)]
    assert len(kept) == 0


def test_a_put_that_fails_leaves_no_handle_and_keeps_the_message(kept: ReturnedMessages) -> None:
    made = put_back_with(kept, {"put": FULL})
    assert made == [("open", None), ("put", HANDLE), ("close", HANDLE), ("raised", FULL)]
    assert len(kept) == 1
