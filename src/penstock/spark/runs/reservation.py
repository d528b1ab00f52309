"""Values between source and sink: offsets, slices, and the mark of a reservation in rows.

Plain values, pickled or written as JSON by Spark. An offset names its flow and queue manager, so that a wrong
checkpoint is noticed even if the numbers happen to fit.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql.datasource import InputPartition

from penstock.model import constants as mq
from penstock.model.errors import error

VERSION = 1


def offset(n: int, flow: str, qmid: str) -> dict[str, Any]:
    """Return the offset after batch n. Spark compares the JSON of offsets: the order of keys matters."""
    return {"v": VERSION, "n": n, "flow": flow, "qmid": qmid}


def number(offset: dict[str, Any], flow: str, qmid: str) -> int:
    """Return the number in an offset; 8033 if it belongs to another flow."""
    if offset.get("v") != VERSION or not isinstance(offset.get("n"), int):
        raise error(
            mq.PSRC_CHECKPOINT_FOREIGN, f"the checkpoint has an offset {json.dumps(offset)}, not one of ours"
        )
    if offset.get("flow") != flow or offset.get("qmid") != qmid:
        text = (
            f"the checkpoint is of flow {offset.get('flow')} at {offset.get('qmid')}, not of {flow} at {qmid}"
        )
        raise error(mq.PSRC_CHECKPOINT_FOREIGN, text, flow=flow, qmid=qmid)
    return int(offset["n"])


@dataclass
class Slice(InputPartition):
    """The part of a reservation that one task reads."""

    flow: str
    qmid: str
    n: int
    epoch: int
    slice: int
    slices: int
    build: str = ""  # of the driver: a worker of another one refuses


@dataclass(frozen=True)
class Mark:
    """A row's mark: the reservation it comes from."""

    flow: str
    qmid: str
    n: int
    epoch: int
    stage: int  # of the task that read it: a shuffled row is in another task

    def text(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def of(text: str) -> Mark:
        return Mark(**json.loads(text))
