"""The tables of a report page come from the JSON of a run."""

from __future__ import annotations

from penstock.lab.analysis.results import Figures, Row, at_most
from tests.bench.markdown import tables

RUN = dict.fromkeys(("cpu", "cores", "memory", "kernel", "file system", "python", "penstock", "commit"), "x")


def test_a_page_has_machine_command_ratio_interval_and_verdict():
    row = Row("pair", "floor", "ns", [5.0, 6.0, 7.0, 6.0, 5.0], [1.0] * 5, at_most(8))
    figures = Figures("More", ("a", "b"), [["1", "2"]])
    results = [{"kind": "row"} | row.as_dict(), {"kind": "figures"} | figures.as_dict()]
    run = RUN | {"command": "python -m tests.bench", "rounds": 5, "foreign_percent": {"pair": 12.3}}

    page = tables({"run": run, "results": {"pair": results}})

    assert "commit x" in page
    assert "`python -m tests.bench`; 5 rounds" in page
    assert "used 12 % of a core" in page
    assert "| pair | 6.00 ns | 1.00 ns (floor) | 6 | 5 - 7 | at most 8 x | passes |" in page
    assert "| a | b |\n|---|---:|\n| 1 | 2 |" in page


def test_figures_alone_have_no_empty_table_and_keep_their_note():
    figures = Figures("More", ("a", "b"), [["1", "2"]], note="one run was disturbed")
    run = RUN | {
        "command": "x",
        "rounds": 1,
        "foreign_percent": {"rated": 0.0},
        "systems": {"NATS": "2.9 with nats-py 2"},
    }

    page = tables({"run": run, "results": {"rated": [{"kind": "figures"} | figures.as_dict()]}})

    assert "| what |" not in page
    assert "| 1 | 2 |\n\none run was disturbed." in page
    assert "Systems: NATS 2.9 with nats-py 2." in page
