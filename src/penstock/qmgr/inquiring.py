"""MQINQ and MQSET: attributes of an open object by MQSC name or by MQIA_/MQCA_ number.

By name the answer is MQSC's (keywords as words); by number it is MQ's (keywords as integers,
strings padded with blanks to their length).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.inquired import Inquired
from penstock.qmgr.catalogue.attributes import QUEUE_KINDS, by_number, catalogue

if TYPE_CHECKING:
    from penstock.qmgr.catalogue.attributes import Attribute
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition

SETTABLE = {
    "QLOCAL": {"GET", "PUT", "DISTL", "TRIGGER", "TRIGDATA", "TRIGDPTH", "TRIGMPRI", "TRIGTYPE"},
    "QALIAS": {"GET", "PUT"},
    "QREMOTE": {"PUT"},
}
# What MQ answers to a value that an attribute cannot have.
VALUE_REASONS = {
    "GET": mq.MQRC_INHIBIT_VALUE_ERROR,
    "PUT": mq.MQRC_INHIBIT_VALUE_ERROR,
    "TRIGGER": mq.MQRC_TRIGGER_CONTROL_ERROR,
    "TRIGDPTH": mq.MQRC_TRIGGER_DEPTH_ERROR,
    "TRIGMPRI": mq.MQRC_TRIGGER_MSG_PRIORITY_ERR,
    "TRIGTYPE": mq.MQRC_TRIGGER_TYPE_ERROR,
}


def inquire(engine: Engine, handle: Handle, selectors: tuple[str | int, ...], now: float) -> Inquired:
    """Return the requested attributes; all of them by name if none is named.

    What other types of queue have and this one has not is None by name; by number it is -1
    (MQIAV_NOT_APPLICABLE) or asterisks, as MQ answers it.
    """
    handle.check()
    if not handle.has(mq.MQOO_INQUIRE):
        raise error(
            mq.MQRC_NOT_OPEN_FOR_INQUIRE, f"{handle.name} is not open for inquire", object=handle.name
        )
    _check_there(handle)
    definition = _current(engine, handle)
    values = _values(engine, handle, definition)
    known = catalogue(definition.kind, definition.subtype)
    numbers = by_number(definition.kind, definition.subtype)
    found = Inquired()
    for selector in selectors or tuple(values):
        elsewhere = _of_other_queues(selector, known, numbers, values, definition)
        if elsewhere is None:
            found[selector] = _answer(selector, values, known, numbers, definition)
        else:
            found.warning = mq.MQRC_SELECTOR_NOT_FOR_TYPE
            found[selector] = None if isinstance(selector, str) else _not_applicable(elsewhere)
    return found


def _of_other_queues(
    selector: str | int,
    known: dict[str, Attribute],
    numbers: dict[int, Attribute],
    values: dict[str, Any],
    definition: Definition,
) -> Attribute | None:
    """Return the attribute that a selector names when only other types of queue have it."""
    if definition.namespace != "QUEUE":
        return None
    if isinstance(selector, str):
        name = selector.upper()
        if name in known or name in values:
            return None
        return next((table[name] for table in map(catalogue, QUEUE_KINDS) if name in table), None)
    if selector in numbers or selector in (mq.MQCA_Q_NAME, mq.MQIA_Q_TYPE):
        return None
    return next((table[selector] for table in map(by_number, QUEUE_KINDS) if selector in table), None)


def _not_applicable(attribute: Attribute) -> int | str:
    """Return what MQ answers in place of an attribute that an object does not have."""
    text = attribute.kind in ("string", "names")
    return "*" * attribute.length if text else mq.MQIAV_NOT_APPLICABLE


def _check_there(handle: Handle) -> None:
    if handle.queue is not None and handle.queue.deleted:
        raise error(mq.MQRC_Q_DELETED, f"queue {handle.name} was deleted", object=handle.name)


def _current(engine: Engine, handle: Handle) -> Definition:
    definition = handle.definition
    assert definition is not None
    if handle.route is not None and handle.queue is not None and not handle.route.remote:
        if definition.kind != "QALIAS":
            return handle.queue.definition
    return engine.objects.find(definition.namespace, definition.name) or definition


def _values(engine: Engine, handle: Handle, definition: Definition) -> dict[str, Any]:
    values: dict[str, Any] = dict(definition.attributes)
    if definition.kind == "QLOCAL" and handle.queue is not None:
        queue = handle.queue
        values |= {"CURDEPTH": queue.depth, "IPPROCS": queue.inputs, "OPPROCS": queue.outputs}
    key = "QMNAME" if definition.kind == "QMGR" else definition.kind
    values.setdefault("QUEUE" if definition.namespace == "QUEUE" else key, definition.name)
    return values


def _answer(
    selector: str | int,
    values: dict[str, Any],
    known: dict[str, Attribute],
    numbers: dict[int, Attribute],
    definition: Definition,
) -> Any:
    if isinstance(selector, str):
        if selector.upper() not in values:
            raise error(
                mq.MQRC_SELECTOR_ERROR, f"{definition.kind} has no attribute {selector}", selector=selector
            )
        return values[selector.upper()]
    if not isinstance(selector, int):
        raise error(mq.MQRC_SELECTOR_ERROR, f"attributes have names or numbers, not {selector!r:.60}")
    attribute = numbers.get(int(selector))
    if attribute is None:
        return _by_special_number(int(selector), values, definition)
    value = values.get(attribute.name, attribute.default)
    if isinstance(value, str) and not attribute.values:
        return value.ljust(attribute.length) if attribute.length else value
    return attribute.to_integer(value) if attribute.values else value


def _by_special_number(selector: int, values: dict[str, Any], definition: Definition) -> Any:
    if selector == mq.MQIA_CURRENT_Q_DEPTH and "CURDEPTH" in values:
        return values["CURDEPTH"]
    if selector == mq.MQIA_OPEN_INPUT_COUNT and "IPPROCS" in values:
        return values["IPPROCS"]
    if selector == mq.MQIA_OPEN_OUTPUT_COUNT and "OPPROCS" in values:
        return values["OPPROCS"]
    if selector in (mq.MQCA_Q_NAME, mq.MQCA_Q_MGR_NAME, mq.MQCA_PROCESS_NAME, mq.MQCA_NAMELIST_NAME):
        return definition.name.ljust(48)
    raise error(
        mq.MQRC_SELECTOR_ERROR,
        f"{definition.kind} has no attribute with number {selector}",
        selector=selector,
    )


def set_attributes(engine: Engine, handle: Handle, values: dict[str | int, Any], now: float) -> None:
    """Change attributes that MQSET may change; all or none."""
    handle.check()
    if not handle.has(mq.MQOO_SET):
        raise error(mq.MQRC_NOT_OPEN_FOR_SET, f"{handle.name} is not open for set", object=handle.name)
    _check_there(handle)
    definition = _current(engine, handle)
    known = catalogue(definition.kind, definition.subtype)
    numbers = by_number(definition.kind, definition.subtype)
    changes: dict[str, Any] = {}
    for key, value in values.items():
        attribute = numbers.get(key) if isinstance(key, int) else known.get(str(key).upper())
        if attribute is None or attribute.name not in SETTABLE.get(definition.kind, set()):
            raise error(mq.MQRC_SELECTOR_ERROR, f"{key} of a {definition.kind} cannot be set", selector=key)
        changes[attribute.name] = _checked(attribute, value)
    engine.alter(definition, changes, now)


def _checked(attribute: Attribute, value: Any) -> Any:
    if isinstance(value, bool):
        value = "YES" if value else "NO"
    try:
        return attribute.from_integer(value) if isinstance(value, int) else attribute.check(value)
    except MQError as failure:
        reason = VALUE_REASONS.get(attribute.name, mq.MQRC_SELECTOR_ERROR)
        raise error(reason, str(failure), selector=attribute.name) from failure
