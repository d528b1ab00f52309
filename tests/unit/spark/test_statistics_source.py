"""Statistics messages become rows of the format "penstock-statistics"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import penstock
from penstock.spark.format.statistics_source import SCHEMA, STATISTICS, StatisticsDataSource, figures

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_have_the_columns_of_the_schema_and_the_messages_stay(penstock_home: Path) -> None:
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(Q) STATQ(ON)", check=True)
        qm.put("Q", b"12345")
        qm.mqsc("RESET QMGR TYPE(STATISTICS)", check=True)
        rows = figures(qm, STATISTICS)
        assert figures(qm, STATISTICS) == rows
    names = [each.split()[0] for each in SCHEMA.split(", ")]
    found = [dict(zip(names, row, strict=True)) for row in rows]
    puts = [each for each in found if (each["object"], each["field"]) == ("Q", "put_bytes")]
    assert [(each["persistence"], each["value"]) for each in puts] == [("no", 5), ("yes", 0)]
    assert StatisticsDataSource.name() == "penstock-statistics"
