"""The global cache as Java sees it, over the cache that all flows of a queue manager share."""

from __future__ import annotations

from typing import Any

from penstock.flow.global_cache import DEFAULT_MAP, GlobalCache
from penstock.flow.java.library.broker import PLUGIN
from penstock.flow.java.library.elements import as_field, as_java
from penstock.flow.java.library.site import running
from penstock.flow.java.library.thing import Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import text
from penstock.tree import MISSING


class MbGlobalMap(Thing):
    """A map of the global cache; a Mapping node reaches it by the same name."""

    packages = PLUGIN
    abstract = True

    def __init__(self, name: str) -> None:
        self._name = name
        self._map = f"/{name}"
        self._cache = GlobalCache(running().ports)

    @staticmethod
    def getGlobalMap(name: str = DEFAULT_MAP, _session: Any = None) -> MbGlobalMap:
        return MbGlobalMap(name)

    def getName(self) -> str:
        return self._name

    def get(self, key: Any) -> Any:
        found = self._cache.get(self._map, text(key))
        return None if found is MISSING else as_java(found)

    def containsKey(self, key: Any) -> bool:
        return self._cache.get(self._map, text(key)) is not MISSING

    def put(self, key: Any, value: Any) -> None:
        if self.containsKey(key):
            raise thrown("MbException", f"map {self._name} has a value of {text(key)} already: update it")
        self._cache.put(self._map, text(key), as_field(value))

    def update(self, key: Any, value: Any) -> None:
        if not self.containsKey(key):
            raise thrown("MbException", f"map {self._name} has no value of {text(key)}: put it")
        self._cache.put(self._map, text(key), as_field(value))

    def remove(self, key: Any) -> Any:
        found = self._cache.remove(self._map, text(key))
        return None if found is MISSING else as_java(found)
