"""Export: a script that makes every object again, in dmpmqcfg's manner.

ALTER QMGR, DEFINE ... REPLACE, SET CHLAUTH and SET AUTHREC, with the attributes that differ from what
DEFINE would fill in. SYSTEM objects come only when they differ from how they were born, or with `all`.
The order lets the script run on a new queue manager; running it twice changes nothing. Dates are left
out, and so are passwords unless asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.catalogue.attributes import Attribute, Value, catalogue, defaults
from penstock.qmgr.catalogue.system_objects import born_as, default_object, default_rules, qmgr_definition
from penstock.qmgr.objects import NAMESPACES
from penstock.qmgr.pubsub.subscription_definitions import defined_again

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.context import Engine
    from penstock.qmgr.objects import Definition

LINE_LENGTH = 79
INDENT = "   "
DEFAULTS = "SYSTEM."  # how objects are called that others are made from
ORDER = (*(space for space in NAMESPACES if space not in ("CHLAUTH", "AUTHREC")), "CHLAUTH", "AUTHREC")


def export(engine: Engine, *, all: bool = False, secrets: bool = False) -> str:
    """Return the script as one text."""
    found = export_commands(engine, everything=all, secrets=secrets)
    return "".join(command for command in found if command is not None)


def export_commands(
    engine: Engine, *, everything: bool = False, secrets: bool = False
) -> Iterator[str | None]:
    """Yield the commands of the script; `everything` includes SYSTEM objects as they were born.

    None if nothing is written for a while: the caller may release the engine there, as after
    each command.
    """
    name = engine.objects.all("QMGR")[0].name
    yield f"* Objects of queue manager {name}\n"
    for space in ORDER:
        if space == "CHLAUTH":
            yield "".join(line + "\n" for line in _removed_rules(engine))
        for definition in _defaults_first(engine, space):
            if definition is None or (not everything and _as_born(definition)):
                yield None
            else:
                yield "".join(line + "\n" for line in _command(engine, definition, secrets))


def _defaults_first(engine: Engine, space: str) -> Iterator[Definition | None]:
    """Yield definitions by name, those first that the attributes of others are filled in from."""
    if space in ("CHLAUTH", "AUTHREC"):
        yield from engine.objects.leafed(space, "")
        return
    defaults: set[str] = set()
    for definition in engine.objects.leafed(space, DEFAULTS):
        if definition is not None and _is_default(definition):
            defaults.add(definition.name)
            yield definition
        else:
            yield None
    for definition in engine.objects.leafed(space, ""):
        yield None if definition is None or definition.name in defaults else definition


def _is_default(definition: Definition) -> bool:
    return definition.name == default_object(definition.kind, definition.subtype)


def _as_born(definition: Definition) -> bool:
    born = born_as(definition.kind, definition.name)
    return born is not None and all(definition.attributes.get(key) == value for key, value in born.items())


def _command(engine: Engine, definition: Definition, secrets: bool) -> Iterator[str]:
    if _is_temporary(definition):
        return
    head, tail = _frame(definition)
    words = [head]
    base, values = _filled_in(engine, definition), _lasting(engine, definition)
    for attribute in catalogue(definition.kind, definition.subtype).values():
        value = values.get(attribute.name, attribute.default)
        if attribute.read_only or attribute.name in _left_out(definition):
            continue
        if attribute.secret and not secrets and value:
            words.append(f"*{attribute.name}(********)")
        elif value != base.get(attribute.name, attribute.default):
            words.append(_written(attribute, value))
    if definition.kind == "QMGR" and all(word.startswith("*") for word in words[1:]):
        return
    words += tail
    yield from _wrapped(words)


def _is_temporary(definition: Definition) -> bool:
    """Return whether an object is created and deleted automatically, so that a DEFINE cannot create it."""
    if definition.attributes.get("QSGDISP") == "COPY":
        return True  # its group has it
    if definition.kind == "QLOCAL":
        managed = definition.name.startswith("SYSTEM.MANAGED.")
        return managed or definition.attributes.get("DEFTYPE") == "TEMPDYN"
    values = definition.attributes
    return definition.kind == "SUB" and (values.get("DURABLE") == "NO" or values.get("SUBTYPE") == "PROXY")


def _lasting(engine: Engine, definition: Definition) -> Mapping[str, Value]:
    """Return the attributes; a SUB whose TOPICOBJ is gone or means another topic names its own."""
    return defined_again(engine.objects, definition) if definition.kind == "SUB" else definition.attributes


def _frame(definition: Definition) -> tuple[str, list[str]]:
    """Return how the command begins and how it ends."""
    kind, values = definition.kind, definition.attributes
    if kind == "QMGR":
        return "ALTER QMGR", ["FORCE"]
    if kind == "CHLAUTH":
        return f"SET CHLAUTH({quoted(str(values['CHLAUTH']))}) TYPE({values['TYPE']})", ["ACTION(REPLACE)"]
    if kind == "AUTHREC":
        listed = values.get("AUTHLIST") or ("NONE",)
        words = ",".join(listed) if isinstance(listed, tuple) else str(listed)
        tail = [f"OBJTYPE({values['OBJTYPE']})", f"AUTHADD({words})"]
        entity = f"{values['ENTTYPE']}({quoted(str(values['ENTITY']))})"
        return f"SET AUTHREC PROFILE({quoted(str(values['PROFILE']))})", [entity, *tail]
    kind_of = {"CHANNEL": " CHLTYPE({})", "AUTHINFO": " AUTHTYPE({})"}.get(kind, "").format(
        definition.subtype
    )
    return f"DEFINE {kind}({quoted(definition.name)}){kind_of}", ["REPLACE"]


_FRAMED = {
    "CHANNEL": ("CHLTYPE",),
    "AUTHINFO": ("AUTHTYPE",),
    "CHLAUTH": ("CHLAUTH", "TYPE"),
    "AUTHREC": ("PROFILE", "ENTITY", "ENTTYPE", "OBJTYPE", "AUTHLIST"),
}


def _left_out(definition: Definition) -> tuple[str, ...]:
    if definition.kind == "SUB" and definition.attributes.get("DESTCLAS") == "MANAGED":
        return "DEST", "DESTQMGR"
    return _FRAMED.get(definition.kind, ())


def _filled_in(engine: Engine, definition: Definition) -> Mapping[str, Value]:
    """Return the attributes that the object would have if the command gave none."""
    kind, subtype = definition.kind, definition.subtype
    if kind == "QMGR":
        return qmgr_definition(definition.name, definition.created).attributes
    if kind in ("CHLAUTH", "AUTHREC"):
        return defaults(kind, subtype)
    model = default_object(kind, subtype)
    if definition.name == model:
        return born_as(kind, model) or defaults(kind, subtype)
    found = engine.objects.find(definition.namespace, model)
    return found.attributes if found is not None else defaults(kind, subtype)


def _removed_rules(engine: Engine) -> Iterator[str]:
    """Yield a SET CHLAUTH for each default rule that was removed, because a new queue manager has it."""
    for name, values in default_rules():
        if engine.objects.find("CHLAUTH", name) is None:
            yield f"SET CHLAUTH({quoted(str(values['CHLAUTH']))}) TYPE({values['TYPE']}) ACTION(REMOVEALL)"


def quoted(text: str) -> str:
    """Return a text as MQSC reads it back unchanged."""
    return "'" + (text.replace("'", "''") or " ") + "'"


def _written(attribute: Attribute, value: Value) -> str:
    name = attribute.name
    if attribute.kind == "flag":
        return name if value == "YES" else f"NO{name}"
    if isinstance(value, int):
        return f"{name}({value})"
    if isinstance(value, tuple):
        items = value if attribute.values else tuple(quoted(item) for item in value)
        return f"{name}({','.join(items) or chr(39) + ' ' + chr(39)})"
    if attribute.kind in ("keyword", "integer"):
        return f"{name}({value})"
    return f"{name}({quoted(value)})"


def _wrapped(words: list[str]) -> Iterator[str]:
    """Yield the lines of one command: an attribute a line, continued with a plus sign."""
    for position, word in enumerate(words):
        more = " +" if position < len(words) - 1 else ""
        if word.startswith("*"):
            yield f"*  {word[1:]}{more}"
            continue
        yield from _folded((INDENT if position else "") + word, more)


def _folded(line: str, more: str) -> Iterator[str]:
    """Yield a long line in pieces that MQSC joins again: after `-` it continues in column one."""
    while len(line) + len(more) > LINE_LENGTH:
        cut = min(LINE_LENGTH, len(line)) - 1
        while cut and (line[cut - 1] in " +-" or line[cut] in " *"):
            cut -= 1
        if not cut:
            break  # no place where the pieces would join to the same text
        yield line[:cut] + "-"
        line = line[cut:]
    yield line + more
