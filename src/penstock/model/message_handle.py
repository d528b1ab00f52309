"""The message handle: a set of properties that a program fills, reads and passes to put and get.

The object behind MQCRTMH, MQSETMP, MQINQMP, MQDLTMP and MQDLTMH. It keeps the order of setting, one cursor,
and each property's descriptor (copy options, support). It belongs to one thread at a time and does not depend
on of queues. After `close` every use raises 2460.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from penstock.model import constants as mq
from penstock.model.constants import (
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_FORWARD,
    MQCOPY_PUBLISH,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
)
from penstock.model.errors import error
from penstock.model.limits import PROPERTY_COUNT_MAX
from penstock.model.properties import PropertyValue, canonical_name, check_name, check_value, property_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COPY_BITS = MQCOPY_ALL | MQCOPY_FORWARD | MQCOPY_PUBLISH | MQCOPY_REPLY | MQCOPY_REPORT


@dataclass(frozen=True, slots=True)
class Property:
    """One property and its descriptor (MQPD): copy options, support, context."""

    name: str
    value: PropertyValue
    copy: int = MQCOPY_DEFAULT
    support: int = MQPD_SUPPORT_OPTIONAL
    context: int = MQPD_NO_CONTEXT

    @property
    def type(self) -> int:
        """The property's MQTYPE."""
        return property_type(self.value)


class MessageHandle:
    """A mutable set of message properties.

    >>> handle = MessageHandle({"colour": "red"})
    >>> handle.set("size", 5)
    >>> handle.inquire("usr.size").value, [each.name for each in handle.matching("%")]
    (5, ['colour', 'size'])
    """

    def __init__(self, properties: Mapping[str, PropertyValue] | None = None, validate: bool = True) -> None:
        self._validate = validate
        self._properties: dict[str, Property] = {}
        self._current: str | None = None
        self._users = 0
        self._open = True
        for name, value in (properties or {}).items():
            self.set(name, value)

    def set(
        self,
        name: str,
        value: PropertyValue,
        copy: int = MQCOPY_DEFAULT,
        support: int = MQPD_SUPPORT_OPTIONAL,
        context: int = MQPD_NO_CONTEXT,
    ) -> None:
        """Set a property: a new one at the end, an existing one in its position (MQSETMP).

        2442 or 2513 for the name, 2473 or 2469 for the value, 2482 for a bad copy option.
        """
        self._check_open()
        canonical = check_name(name) if self._validate else canonical_name(name)
        check_value(value)
        if copy & ~_COPY_BITS:
            raise error(mq.MQRC_PD_ERROR, f"copy options {copy:#x} of property {name!r}")
        if canonical not in self._properties and len(self._properties) >= PROPERTY_COUNT_MAX:
            raise error(mq.MQRC_PROPERTIES_TOO_BIG, f"a handle holds at most {PROPERTY_COUNT_MAX} properties")
        self._properties[canonical] = Property(canonical, value, copy, support, context)

    def inquire(self, name: str) -> Property:
        """Return a property by its exact name and move the cursor to it; 2471 if it does not exist."""
        self._check_open()
        canonical = canonical_name(name)
        found = self._properties.get(canonical)
        if found is None:
            raise error(mq.MQRC_PROPERTY_NOT_AVAILABLE, f"there is no property {name!r}", name=name)
        self._current = canonical
        return found

    def first(self, pattern: str = "%") -> Property:
        """Return the first property that matches: an exact name, or one that ends with % (2471 if none)."""
        self._current = None
        return self.next(pattern)

    def next(self, pattern: str = "%") -> Property:
        """Return the next property after the cursor that matches; 2471 at the end."""
        self._check_open()
        passed = self._current is None or self._current not in self._properties
        for name, each in self._properties.items():
            if passed and _matches(name, pattern):
                self._current = name
                return each
            passed = passed or name == self._current
        raise error(mq.MQRC_PROPERTY_NOT_AVAILABLE, f"no further property matches {pattern!r}", name=pattern)

    def matching(self, pattern: str = "%") -> Iterator[Property]:
        """Iterate over the matching properties, in the order of setting; the cursor stays."""
        self._check_open()
        return iter([each for name, each in self._properties.items() if _matches(name, pattern)])

    def delete(self, name: str) -> None:
        """Remove a property (MQDLTMP); 2471 if it does not exist. The cursor moves to the previous one."""
        self._check_open()
        canonical = canonical_name(name)
        if canonical not in self._properties:
            raise error(mq.MQRC_PROPERTY_NOT_AVAILABLE, f"there is no property {name!r}", name=name)
        if self._current == canonical:
            names = list(self._properties)
            place = names.index(canonical)
            self._current = names[place - 1] if place else None
        del self._properties[canonical]

    def clear(self) -> None:
        """Remove every property, as a get into the handle does first."""
        self._check_open()
        self._properties.clear()
        self._current = None

    def replace(self, properties: Mapping[str, PropertyValue]) -> None:
        """Replace everything by the properties of a message that was got. Names are not checked."""
        self.clear()
        self._properties = {name: Property(name, value) for name, value in properties.items()}

    def properties(self) -> dict[str, PropertyValue]:
        """Return the properties in the form of a message."""
        self._check_open()
        return {name: each.value for name, each in self._properties.items()}

    def copied(self, action: int) -> dict[str, PropertyValue]:
        """Return the properties that are copied when a message is forwarded, published, replied or reported.

        `action` is MQCOPY_FORWARD, MQCOPY_PUBLISH, MQCOPY_REPLY or MQCOPY_REPORT.
        """
        self._check_open()
        wanted = action | MQCOPY_ALL
        return {name: each.value for name, each in self._properties.items() if each.copy & wanted}

    def close(self) -> None:
        """Delete the handle (MQDLTMH); 2499 while a call uses it."""
        self._check_open()
        if self._users:
            raise error(mq.MQRC_MSG_HANDLE_IN_USE, "a call that uses the message handle has not returned")
        self._open = False
        self._properties = {}

    def __enter__(self) -> Self:
        """Mark the handle as in use by a call: another call that enters it meanwhile gets 2499."""
        self._check_open()
        if self._users:
            raise error(mq.MQRC_MSG_HANDLE_IN_USE, "another call uses the message handle")
        self._users += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._users -= 1

    def __len__(self) -> int:
        self._check_open()
        return len(self._properties)

    def __contains__(self, name: str) -> bool:
        self._check_open()
        return canonical_name(name) in self._properties

    def _check_open(self) -> None:
        if not self._open:
            raise error(mq.MQRC_HMSG_ERROR, "the message handle was deleted")


def _matches(name: str, pattern: str) -> bool:
    """Apply MQINQMP's rule: a trailing % matches any rest; a name without folder is in usr."""
    if not pattern.endswith("%"):
        return name == canonical_name(pattern)
    prefix = pattern[:-1]
    return name.startswith(prefix) or ("." not in name and f"usr.{name}".startswith(prefix))
