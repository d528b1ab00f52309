"""Overrides deployed with a flow, from BAR files and override files, by flow, node and property.

The syntax is the same in both: `flow#[subflow label.]node label.property` for a node, `flow#NAME` for a
property of the flow. In a BAR they are in META-INF/broker.xml, in a file one per line as
`flow#node.property=value`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.importer.xml_reading import read_xml
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

LINES_MAX = 100_000


class Overrides:
    """Values by key, as seen from a flow or a subflow in it; records which of them were used."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values = dict(values or {})
        self._full = {key: key for key in self.values}
        self._used: set[str] = set()

    def add(self, other: Overrides) -> None:
        """Add overrides; they take precedence over the existing ones."""
        self.values.update(other.values)
        self._full.update(other._full)

    def of_flow(self, name: str) -> Overrides:
        """Return the overrides for a flow, by its name."""
        return self._under(f"{name}#", {})

    def below(self, label: str, given: Mapping[str, str]) -> Overrides:
        """Return the overrides for a subflow; `given` are the values that its node sets itself."""
        return self._under(f"{label}.", given)

    def _under(self, beginning: str, given: Mapping[str, str]) -> Overrides:
        found = Overrides(given)
        found._full.clear()
        found._used = self._used
        for key, value in self.values.items():
            if key.startswith(beginning):
                found.values[key.removeprefix(beginning)] = value
                if key in self._full:
                    found._full[key.removeprefix(beginning)] = self._full[key]
        return found

    def taken(self, names: Iterable[str]) -> dict[str, str]:
        """Return the values for properties of the flow itself."""
        return {name: self._use(name) for name in names if name in self.values}

    def of_node(self, label: str, knows: Callable[[str], bool]) -> dict[str, str]:
        """Return the values for properties of a node; no property has a dot in its name."""
        beginning = f"{label}."
        return {
            key.removeprefix(beginning): self._use(key)
            for key in self.values
            if key.startswith(beginning)
            and "." not in key.removeprefix(beginning)
            and knows(key.removeprefix(beginning))
        }

    def _use(self, key: str) -> str:
        if key in self._full:
            self._used.add(self._full[key])
        return self.values[key]

    def used(self) -> frozenset[str]:
        """Return the overrides that were used."""
        return frozenset(key for key in self._full.values() if key in self._used)

    def unused(self) -> list[str]:
        """Return the overrides that were not used."""
        return sorted(key for key in self._full.values() if key not in self._used)


def read_broker_xml(content: bytes, name: str) -> Overrides:
    """Return the overrides in a broker.xml: properties with an `override` attribute."""
    found = {
        each.get("uri"): each.get("override")
        for each in read_xml(content, name).root.below("ConfigurableProperty")
        if "override" in each.attributes and "#" in each.get("uri")
    }
    return Overrides(found)


def read_override_file(text: str, name: str) -> Overrides:
    """Return the overrides in a file of `flow#node.property=value` lines; `#` begins a comment line."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines()[:LINES_MAX], 1):
        key, equals, value = line.strip().partition("=")
        if not key or line.lstrip().startswith("#"):
            continue
        if not equals or "#" not in key:
            raise error(
                mq.PSRC_FLOW_IMPORT,
                f"{name}, line {number}: an override reads flow#node.property=value, not {key[:80]!r}",
                line=number,
            )
        found[key.strip()] = value.strip()
    return Overrides(found)
