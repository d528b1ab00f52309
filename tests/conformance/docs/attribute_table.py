"""The table of docs/reference/mqsc.md that says which attributes work, made from the catalogue.

`python -m tests.conformance.docs.attribute_table` prints it, to be put between its marks on the page.
"""

from __future__ import annotations

from penstock.qmgr.catalogue.attributes import KINDS, Attribute, catalogue

WORKS = "works"
HEAD = ["| object | attributes | effect |", "|---|---|---|"]
RUNNING_CHANNELS = ("SVRCONN", "SDR", "SVR", "RCVR", "RQSTR", "CLUSSDR", "CLUSRCVR")
PASSWORDS_HERE = "IDPWOS"


def table() -> list[str]:
    """Return the lines of the table."""
    lines = list(HEAD)
    for kind in KINDS:
        for object_name, attributes in _objects(kind):
            groups: dict[str, list[str]] = {WORKS: []}
            for attribute in attributes:
                if not attribute.read_only:
                    for effect, name in _effects(attribute):
                        groups.setdefault(effect, []).append(name)
            lines += [
                f"| {object_name} | {' '.join(names)} | {effect} |"
                for effect, names in groups.items()
                if names
            ]
    return lines


def _objects(kind: str) -> list[tuple[str, list[Attribute]]]:
    """Return what the attributes of a kind are listed under; types that do not run are left out."""
    if kind == "CHANNEL":
        return [(f"CHANNEL of {each}", list(catalogue(kind, each).values())) for each in RUNNING_CHANNELS]
    if kind == "AUTHINFO":
        return [(f"AUTHINFO of {PASSWORDS_HERE}", list(catalogue(kind, PASSWORDS_HERE).values()))]
    return [(kind, list(catalogue(kind).values()))]


def _effects(attribute: Attribute) -> list[tuple[str, str]]:
    """Return what is said of an attribute, and of those of its values that are another matter."""
    found = []
    if attribute.inert and not attribute.inert_values:
        found.append((f"stored only: {attribute.inert}", attribute.name))
    elif not attribute.refuses:
        found.append((WORKS, attribute.name))
    if attribute.inert_values:
        words = ",".join(word for word in attribute.values if word in attribute.inert_values)
        found.append((f"stored only: {attribute.inert}", f"{attribute.name}({words})"))
    for word, why in attribute.refuses.items():
        name = f"{attribute.name}({word})" if word != "*" else f"{attribute.name}(any value)"
        found.append((f"refused: {why}", name))
    return found


if __name__ == "__main__":
    print("\n".join(table()))
