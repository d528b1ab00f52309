"""Sockets that several connections of a process share, as many as the channel's SHARECNV allows.

`enter` gives a conversation on a link that has room, or dials a new one; `leave` ends a conversation, and the
link with its last. After a fork nothing is shared with the parent. A connection that may be moved to another
queue manager has a socket of its own: a socket moves as a whole, and a uniform cluster moves one at a time.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from penstock.client import calls, dialling
from penstock.model.errors import MQError
from penstock.protocol import hello
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from penstock.client._link import ClientLink
    from penstock.client.dialling import Target

_lock = threading.Lock()
_links: dict[Target, list[ClientLink]] = {}
_conversations: dict[ClientLink, set[int]] = {}
FIRST = 1


def enter(target: Target, share: bool, replaces: bytes = b"") -> tuple[ClientLink, int]:
    """Return a link and the number of a conversation on it; `replaces` is the token of one that broke.

    With channels of a table, the channel is chosen first: connections share sockets of the same channel only.
    """
    attempts = dialling.Attempts()
    share = share and not target.moves
    for definition, each in dialling.candidates(target):
        if definition is None:
            return _enter(each, share, replaces)
        try:
            return _enter(each, share, replaces)
        except MQError as failure:
            dialling.channel_failed(target, definition, failure, attempts)
    raise attempts.failed()


def _enter(target: Target, share: bool, replaces: bytes) -> tuple[ClientLink, int]:
    if share:
        found = _reserve(target)
        if found is not None:
            link, number = found
            try:
                _converse(link, number, target, replaces)
                return found
            except MQError:
                _shut(link, number)
    link = dialling.dial(target, replaces)
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
            if link.failure is None and not link.ending and len(taken) < limit:
                number = next(
                    each for each in range(FIRST + 1, protocol.CONVERSATIONS_MAX) if each not in taken
                )
                taken.add(number)
                return link, number
    return None


def is_shared(link: ClientLink) -> bool:
    """Return whether connections share a link, or may come to share it."""
    with _lock:
        return len(_conversations.get(link, ())) > 1 or any(link in links for links in _links.values())


def _converse(link: ClientLink, number: int, target: Target, replaces: bytes) -> None:
    facts: dict[str, Any] = {
        "conversation": number,
        "application": target.application,
        "process": os.getpid(),
    }
    if replaces:
        facts["replaces"] = replaces
    slot = calls.begun(link, 0, protocol.CONVERSE, hello.pack(facts))
    try:
        calls.result(link.exchange(slot, target.timeout))
    finally:
        link.release(slot)


def leave(link: ClientLink, number: int) -> None:
    """End a conversation; the last one closes the socket. Its number is free when the other end agrees."""
    with _lock:
        last = _conversations.get(link, {number}) == {number}
        if last:
            _drop(link)
    if link.failure is None:
        try:
            slot = calls.begun(link, number, protocol.END, b"", flags=protocol.COMMITS)
            link.exchange(slot, dialling.CONNECT_SECONDS)
            link.release(slot)
        except MQError:
            pass  # it is gone, and so are we
    if last:
        link.close()
        return
    with _lock:
        _conversations.get(link, set()).discard(number)
        if not _conversations.get(link, {FIRST}):
            _drop(link)
            last = True
    if last:
        link.close()  # another one left at the same time


def _drop(link: ClientLink) -> None:
    """Take a link out of the books; the lock is held."""
    _conversations.pop(link, None)
    _hide(link)


def _hide(link: ClientLink) -> None:
    """Use a link for no new conversation; the lock is held."""
    for links in _links.values():
        if link in links:
            links.remove(link)


def _shut(link: ClientLink, number: int) -> None:
    """Use a link that has refused a conversation for no new one; existing conversations continue."""
    with _lock:
        _hide(link)
        taken = _conversations.get(link, {FIRST})
        taken.discard(number)
        empty = not taken
        if empty:
            _drop(link)
    if empty:
        link.close()  # the others left while it was asked


def _forget_after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for link in _conversations:
        link.disown()
    _links.clear()
    _conversations.clear()


os.register_at_fork(after_in_child=_forget_after_fork)
