"""Sockets that several connections of a process share, as many as the channel's SHARECNV allows.

`enter` gives a conversation on a link that has room, or dials a new one; `leave` ends a conversation, and the
link with its last. After a fork nothing is shared with the parent.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.wire import hello, protocol
from penstock.wire.client import dialling

if TYPE_CHECKING:
    from penstock.wire.client._link import ClientLink
    from penstock.wire.client.dialling import Target

_lock = threading.Lock()
_links: dict[Target, list[ClientLink]] = {}
_conversations: dict[ClientLink, set[int]] = {}
FIRST = 1


def enter(target: Target, share: bool) -> tuple[ClientLink, int]:
    """Return a link and the number of a conversation on it."""
    if share:
        found = _reserve(target)
        if found is not None:
            link, number = found
            try:
                _converse(link, number)
                return found
            except MQError:
                _forget(link)
    link = dialling.dial(target)
    with _lock:
        _conversations[link] = {FIRST}
        if share:
            _links.setdefault(target, []).append(link)
    return link, FIRST


def _reserve(target: Target) -> tuple[ClientLink, int] | None:
    with _lock:
        for link in _links.get(target, ()):
            taken = _conversations[link]
            limit = link.terms.number("conversations", 1)
            if link.failure is None and len(taken) < limit:
                number = next(
                    each for each in range(FIRST + 1, protocol.CONVERSATIONS_MAX) if each not in taken
                )
                taken.add(number)
                return link, number
    return None


def _converse(link: ClientLink, number: int) -> None:
    facts = {"conversation": number, "application": "", "process": os.getpid()}
    slot = link.begin(0)
    link.out.frame(protocol.CONVERSE, 0, 0, slot.request, 0, hello.pack(facts))
    try:
        link.exchange(slot, dialling.CONNECT_SECONDS)
    finally:
        link.release(slot)


def leave(link: ClientLink, number: int) -> None:
    """End a conversation; the last one hangs up."""
    with _lock:
        taken = _conversations.get(link, set())
        taken.discard(number)
        last = not taken
    if last:
        _forget(link)
    if link.failure is None:
        try:
            slot = link.begin(number)
            link.out.frame(protocol.END, protocol.NO_REPLY, number, slot.request, 0, b"")
            link.exchange(slot, dialling.CONNECT_SECONDS)
            link.release(slot)
        except MQError:
            pass  # it is gone, and so are we
    if last:
        link.close()


def _forget(link: ClientLink) -> None:
    with _lock:
        _conversations.pop(link, None)
        for links in _links.values():
            if link in links:
                links.remove(link)


def _forget_after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for link in _conversations:
        link.disown()
    _links.clear()
    _conversations.clear()


os.register_at_fork(after_in_child=_forget_after_fork)
