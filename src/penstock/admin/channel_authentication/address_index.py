"""Rules by address: those that match a client's address or host name, found without trying each.

IP patterns are in a tree with one level per part, ranges of a part by their width, host names in a
`StarIndex`. Called by `rule_index`, which has one for each identity in rules. Invariant: `matching` yields
exactly the rules whose pattern matches the address, each once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from penstock.admin.channel_authentication.addresses import ANY, EVERYWHERE, HOST, AddressPattern, Part
from penstock.admin.channel_authentication.star_patterns import StarIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.channel_authentication.addresses import Address, Numbers

Entry = TypeVar("Entry")


class AddressIndex(Generic[Entry]):
    """Entries by their address pattern."""

    __slots__ = ("_anywhere", "_hosts", "_roots")

    def __init__(self) -> None:
        self._anywhere: list[Entry] | None = None
        self._hosts: StarIndex[list[Entry]] | None = None
        self._roots: dict[int, _Node[Entry]] | None = None  # by number of parts

    def __bool__(self) -> bool:
        return bool(self._anywhere or self._hosts or self._roots)

    def add(self, pattern: AddressPattern, entry: Entry) -> None:
        """Add an entry under a pattern."""
        if pattern.kind <= EVERYWHERE:
            self._anywhere = [*(self._anywhere or ()), entry]
        elif pattern.kind <= HOST:
            self._hosts = self._hosts or StarIndex()
            self._hosts.ensure(pattern.host, list).append(entry)
        else:
            self._roots = self._roots or {}
            self._roots.setdefault(len(pattern.parts), _Node()).add(pattern.parts, 0, entry)

    def remove(self, pattern: AddressPattern, entry: Entry) -> None:
        """Remove an entry; it was added under the same pattern."""
        if pattern.kind <= EVERYWHERE:
            assert self._anywhere is not None
            self._anywhere.remove(entry)
        elif pattern.kind <= HOST:
            assert self._hosts is not None
            entries = self._hosts.ensure(pattern.host, list)
            entries.remove(entry)
            if not entries:
                self._hosts.remove(pattern.host)
        else:
            assert self._roots is not None
            if self._roots[len(pattern.parts)].remove(pattern.parts, 0, entry):
                del self._roots[len(pattern.parts)]

    def matching(self, address: Address) -> Iterator[Entry]:
        """Yield the entries whose pattern matches an address; in no particular order."""
        if self._anywhere:
            yield from self._anywhere
        if self._hosts and address.host:
            for _, entries in self._hosts.matching(address.host):
                yield from entries
        if self._roots and (root := self._roots.get(len(address.numbers))) is not None:
            yield from root.matching(address.numbers, 0)


class _Node(Generic[Entry]):
    """One level of the tree: the parts that may come next, and at the end the entries."""

    __slots__ = ("entries", "nodes", "ranges")

    def __init__(self) -> None:
        self.nodes: dict[Part, _Node[Entry]] | None = None
        self.ranges: _Ranges | None = None
        self.entries: list[Entry] | None = None

    def add(self, parts: tuple[Part, ...], depth: int, entry: Entry) -> None:
        if depth == len(parts):
            self.entries = [*(self.entries or ()), entry]
            return
        part = parts[depth]
        self.nodes = {} if self.nodes is None else self.nodes
        node = self.nodes.get(part)
        if node is None:
            node = self.nodes[part] = _Node()
            if isinstance(part, tuple):
                self.ranges = self.ranges or _Ranges()
                self.ranges.add(part)
        node.add(parts, depth + 1, entry)

    def remove(self, parts: tuple[Part, ...], depth: int, entry: Entry) -> bool:
        """Remove an entry; True if nothing is left below this node."""
        if depth == len(parts):
            assert self.entries is not None
            self.entries.remove(entry)
            return not self.entries
        assert self.nodes is not None
        part = parts[depth]
        if self.nodes[part].remove(parts, depth + 1, entry):
            del self.nodes[part]
            if isinstance(part, tuple) and self.ranges is not None:
                self.ranges.remove(part)
        return not self.nodes

    def matching(self, numbers: Numbers, depth: int) -> Iterator[Entry]:
        if depth == len(numbers):
            yield from self.entries or ()
            return
        nodes = self.nodes or {}
        number = numbers[depth]
        for part in (number, ANY):
            node = nodes.get(part)
            if node is not None:
                yield from node.matching(numbers, depth + 1)
        if self.ranges is not None:
            for bounds in self.ranges.holding(number):
                yield from nodes[bounds].matching(numbers, depth + 1)


class _Ranges:
    """Ranges of numbers, in cells as wide as they are: a lookup checks two cells per width."""

    __slots__ = ("cells", "widths")

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.widths: dict[int, int] = {}

    def add(self, bounds: tuple[int, int]) -> None:
        width = (bounds[1] - bounds[0]).bit_length()
        self.cells.setdefault((width, bounds[0] >> width), []).append(bounds)
        self.widths[width] = self.widths.get(width, 0) + 1

    def remove(self, bounds: tuple[int, int]) -> None:
        width = (bounds[1] - bounds[0]).bit_length()
        cell = (width, bounds[0] >> width)
        self.cells[cell].remove(bounds)
        if not self.cells[cell]:
            del self.cells[cell]
        self.widths[width] -= 1
        if not self.widths[width]:
            del self.widths[width]

    def holding(self, number: int) -> Iterator[tuple[int, int]]:
        for width in self.widths:
            cell = number >> width
            for place in (cell - 1, cell):
                for bounds in self.cells.get((width, place), ()):
                    if bounds[0] <= number <= bounds[1]:
                        yield bounds
