"""Numbers of MQ and their names, as com.ibm.mq.constants has them."""

from __future__ import annotations

import re
from typing import Any

from penstock.flow.java.library.thing import Thing
from penstock.flow.java.values import text
from penstock.model import constants as mq

NUMBERS = {name: value for name, value in vars(mq).items() if name.startswith("MQ") and type(value) is int}
REASONS = "MQRC_.*"


class MQConstants(Thing):
    """The constants, and their names by number."""

    names = ("MQConstants", "CMQC", "CMQCFC")
    packages = ("com.ibm.mq.constants",)
    abstract = True
    constants = NUMBERS

    @staticmethod
    def lookup(value: Any, pattern: str | None = None) -> str:
        wanted = re.compile(pattern or ".*")
        found = [name for name, number in NUMBERS.items() if text(number) == text(value)]
        return "/".join(each for each in found if wanted.fullmatch(each))

    @staticmethod
    def lookupReasonCode(value: int) -> str:
        return MQConstants.lookup(value, REASONS)

    @staticmethod
    def lookupCompCode(value: int) -> str:
        return MQConstants.lookup(value, "MQCC_.*")
