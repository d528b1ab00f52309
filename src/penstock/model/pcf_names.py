"""Names of PCF parameters and commands, and a PCF message as a readable dict.

The names are those of MQ's own header files, taken from `constants`; an id without a name is shown as its
number. For output only: nothing reads these dicts back.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from penstock.model import constants
from penstock.model.pcf_parameters import (
    ByteStringFilter,
    Group,
    Integer64List,
    IntegerFilter,
    IntegerList,
    Parameter,
    StringFilter,
    StringList,
)

if TYPE_CHECKING:
    from penstock.model.pcf import Pcf

_PARAMETERS = (
    "MQIA_",
    "MQCA_",
    "MQIACF_",
    "MQCACF_",
    "MQIACH_",
    "MQCACH_",
    "MQBACF_",
    "MQGACF_",
    "MQIAMO_",
    "MQIAMO64_",
    "MQCAMO_",
)
_BOUNDS = ("_FIRST", "_LAST", "_LAST_USED")


def parameter_name(id: int) -> str:
    """Return the name of a parameter's id.

    >>> parameter_name(2016), parameter_name(123456)
    ('MQCA_Q_NAME', '123456')
    """
    return _names(_PARAMETERS).get(id, str(id))


def command_name(command: int) -> str:
    """Return the name of a command, such as MQCMD_PERFM_EVENT."""
    return _names(("MQCMD_",)).get(command, str(command))


def type_name(kind: int) -> str:
    """Return the name of a message's type, such as MQCFT_EVENT."""
    return _names(("MQCFT_",)).get(kind, str(kind))


def describe(pcf: Pcf) -> dict[str, Any]:
    """Return a PCF message as a dict that JSON can hold: texts without padding, bytes as hexadecimal.

    Groups are lists of dicts, since they repeat; of any other parameter that repeats all values
    are listed.
    """
    return {
        "type": type_name(pcf.type),
        "command": command_name(pcf.command),
        "comp_code": pcf.comp_code,
        "reason": pcf.reason,
        "parameters": _described(pcf.parameters),
    }


def _described(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    repeated: set[str] = set()
    for parameter in parameters:
        name, value = parameter_name(parameter.id), _value(parameter)
        if isinstance(parameter, Group):
            result.setdefault(name, []).append(value)
        elif name not in result:
            result[name] = value
        else:
            if name not in repeated:
                repeated.add(name)
                result[name] = [result[name]]
            result[name].append(value)
    return result


def _value(parameter: Parameter) -> Any:
    if isinstance(parameter, Group):
        return _described(parameter.parameters)
    if isinstance(parameter, IntegerList | Integer64List | StringList):
        return list(parameter.values)
    if isinstance(parameter, IntegerFilter | StringFilter | ByteStringFilter):
        return {"operator": parameter.operator, "value": _printable(parameter.value)}
    return _printable(parameter.value)


def _printable(value: int | str | bytes) -> int | str:
    if isinstance(value, bytes):
        return value.hex()
    return value.rstrip(" \0") if isinstance(value, str) else value


@lru_cache(maxsize=8)
def _names(prefixes: tuple[str, ...]) -> dict[int, str]:
    names: dict[int, str] = {}
    for name, number in vars(constants).items():
        if name.startswith(prefixes) and not name.endswith(_BOUNDS) and isinstance(number, int):
            names.setdefault(number, name)
    return names
