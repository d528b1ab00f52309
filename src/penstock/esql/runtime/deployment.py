"""Data that lives as long as a deployed flow: SHARED variables, user-defined properties, locks, external
routines.

A flow makes one `Deployment` and gives it to every `Context`; its threads share it. One thread creates SHARED
and EXTERNAL variables at their first use. Room `flow` knows nodes; here are only names and values.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.esql.runtime.context import Context

T = TypeVar("T")
NOTHING = object()


class Deployment:
    """One flow's shared data.

    `properties` are the values of EXTERNAL variables by name. `routines` are Python functions for EXTERNAL
    routines, by the name in EXTERNAL NAME; `find_routine` finds those that were not registered. `databases`
    is the target of SQL statements. `models` returns the message model that SET of PARSE and ASBITSTREAM
    names.
    """

    def __init__(
        self,
        *,
        properties: Mapping[str, Any] | None = None,
        routines: Mapping[str, Callable[..., Any]] | None = None,
        databases: Any = None,
        models: Callable[[str, str], object] | None = None,
        find_routine: Callable[[str], Callable[..., Any] | None] | None = None,
    ) -> None:
        self.properties = dict(properties or {})
        self.routines = dict(routines or {})
        self.databases = databases
        self._models = models
        self._find_routine = find_routine
        self._lock = threading.RLock()
        self._scopes: dict[type, Any] = {}
        self._atomic: dict[str, threading.RLock] = {}
        self._parts: dict[str, Deployment] = {}

    def part(self, name: str, properties: Mapping[str, Any]) -> Deployment:
        """Return the data of a part of the flow with its own property values, and so its own variables."""
        with self._lock:
            if name not in self._parts:
                made = Deployment(
                    properties=properties,
                    routines=self.routines,
                    databases=self.databases,
                    models=self._models,
                    find_routine=self._find_routine,
                )
                made._atomic, made._lock = self._atomic, self._lock
                self._parts[name] = made
            return self._parts[name]

    def scope(self, kind: type[T], context: Context) -> T:
        """Return the SHARED and EXTERNAL variables that a module or schema declares."""
        found: T | None = self._scopes.get(kind)
        if found is None:
            with self._lock:
                found = self._scopes.get(kind)
                if found is None:
                    made: Any = kind.__new__(kind)
                    made.__init__(context)
                    found = self._scopes[kind] = made
        return found

    def atomic(self, schema: str) -> threading.RLock:
        """Return the lock that BEGIN ATOMIC holds: one for each schema."""
        lock = self._atomic.get(schema)
        if lock is None:
            with self._lock:
                lock = self._atomic.setdefault(schema, threading.RLock())
        return lock

    def property_value(self, name: str, given: Any) -> Any:
        """Return the value of an EXTERNAL variable: the deployed one, else that of its DECLARE."""
        value = self.properties.get(name, given)
        if value is NOTHING:
            raise error(mq.PSRC_ESQL_PROPERTY, f"property {name} has no value", property=name)
        return value

    def routine(self, name: str) -> Callable[..., Any]:
        """Return the Python function registered for an EXTERNAL NAME."""
        found = self.found_routine(name)
        if found is None:
            raise error(mq.PSRC_ESQL_ROUTINE, f"no Python function is registered as {name!r}", routine=name)
        return found

    def found_routine(self, name: str) -> Callable[..., Any] | None:
        """Return the function of an EXTERNAL NAME; None if there is none."""
        if name not in self.routines and self._find_routine is not None:
            found = self._find_routine(name)
            if found is not None:
                self.routines[name] = found
        return self.routines.get(name)

    def model(self, name: str, message_type: str = "") -> object:
        """Return the message model of a name, or the one that has a type of message."""
        if self._models is None:
            raise error(mq.PSRC_DOMAIN_MODEL, f"no message models are deployed, so there is no SET {name!r}")
        return self._models(name, message_type)
