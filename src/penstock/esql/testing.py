"""Runs one module on one message, for tests: its output, what it sent, what it logged.

`penstock esql test` and the pytest fixture `esql` use this; it prints and asserts nothing itself. Time,
randomness and UUIDs are fixed, so that a test is reproducible.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.context import Context, Propagation
from penstock.esql.runtime.deployment import Deployment
from penstock.tree import Message, Reference, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.esql.library import Module

NOW = datetime(2024, 2, 29, 10, 11, 12, 123456, tzinfo=UTC)


@dataclass(slots=True)
class Sent:
    """A message that PROPAGATE sent: where to, and copies of the trees as they were then."""

    terminal: str | int
    label: str | None
    message: Message
    local_environment: Message


@dataclass(slots=True)
class Outcome:
    """The result of a module for a message."""

    returned: bool | None
    output: Message
    environment: Message
    local_environment: Message
    context: Context
    sent: list[Sent] = field(default_factory=list)
    logged: list[tuple[str, str]] = field(default_factory=list)

    def bytes(self) -> bytes:
        """Return the output message as bytes."""
        return self.output.serialise()


def run_module(
    module: Module,
    message: Message | bytes | str | None = None,
    *,
    domain: str = "XMLNSC",
    properties: Mapping[str, Any] | None = None,
    routines: Mapping[str, Callable[..., Any]] | None = None,
    databases: Any = None,
    deployment: Deployment | None = None,
    environment: Message | None = None,
    local_environment: Message | None = None,
    labels: dict[str, str] | None = None,
    now: datetime = NOW,
) -> Outcome:
    """Run a module once on a message, given as a tree or as bytes of a domain."""
    root = _as_message(message, domain)
    output, environment = Message(), environment or Message()
    out_local = Message()
    sent: list[Sent] = []
    logged: list[tuple[str, str]] = []

    def propagate(going: Propagation) -> None:
        chosen = output if going.message is None else _whole(going.message)
        trees = out_local if going.environment is None else _whole(going.environment)
        sent.append(Sent(going.terminal, going.label, chosen.copy(), trees.copy()))

    numbers = count(1)
    context = Context(
        root,
        deployment=deployment or Deployment(properties=properties, routines=routines, databases=databases),
        environment=environment,
        local_environment=local_environment,
        output=output,
        output_local_environment=out_local,
        labels=labels or {"NODELABEL": "Compute", "MESSAGEFLOWLABEL": "TestFlow"},
        propagate=propagate,
        log=lambda target, text, _: logged.append((target, text)),
        now=now,
        zone=UTC,
        randomness=random.Random(1),
        make_uuid=lambda: uuid.UUID(int=next(numbers)),
        sleep=lambda _: None,
    )
    returned = module.run(context)
    return Outcome(returned, output, environment, out_local, context, sent, logged)


def _as_message(message: Message | bytes | str | None, domain: str) -> Message:
    if message is None:
        return Message()
    if isinstance(message, Message):
        return message
    data = message.encode() if isinstance(message, str) else message
    return parse(data, domain)


def _whole(reference: Reference) -> Message:
    """Return a new tree with the contents of a field or another tree."""
    made = Message()
    root = made.reference()
    assert root is not None
    root.become(reference)
    return made


def differences(actual: Message, expected: Message) -> list[str]:
    """Return the differences of two trees: path, and the value on either side; an empty list if there are
    none.
    """
    found: list[str] = []
    pending = [(actual.reference(), expected.reference(), "Root")]
    while pending:
        one, other, path = pending.pop()
        if one is None or other is None:
            continue
        if one.value != other.value:
            found.append(f"{path}: {one.value!r} instead of {other.value!r}")
        here, there = list(one), list(other)
        if [each.name for each in here] != [each.name for each in there]:
            names = [each.name for each in here], [each.name for each in there]
            found.append(f"{path}: children {names[0]} instead of {names[1]}")
            continue
        pending += [(left, right, f"{path}.{left.name}") for left, right in zip(here, there, strict=True)]
    return found
