"""`penstock lab list`: the tests of the catalogue, by seed, with their state."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="tests, reports by number, or patterns such as 'cl*'; all without", metavar="[NAME]..."
    ),
]


def list_(names: NamesArgument = None, as_json: JsonOption = False) -> None:
    """List the tests by report: whether they run, wait for something or never run, and why."""
    from penstock.cli.printing import show_columns, show_json
    from penstock.lab.catalogue import chosen
    from penstock.lab.catalogue.availability import NEVER, RUNS, WAITS, state
    from penstock.lab.catalogue.loading import SEEDS

    tests = [(test, *state(test)) for test in chosen(names or [])]
    if as_json:
        facts = ("test", "title", "seed", "section", "also")
        show_json(
            [
                {key: getattr(test, key) for key in facts}
                | {"work": test.work, "state": word, "reason": reason}
                for test, word, reason in tests
            ]
        )
        return
    for seed, report in SEEDS.items():
        some = [(test, word, reason) for test, word, reason in tests if test.seed == seed]
        if some:
            print(f"{seed}  {report}")
            show_columns(
                ("test", "section", "title", "state", "reason"),
                [(test.test, test.section, test.title, word, reason) for test, word, reason in some],
            )
            print()
    counts = {word: sum(each == word for _, each, _ in tests) for word in (RUNS, WAITS, NEVER)}
    print(f"{len(tests)} tests: {counts[RUNS]} run, {counts[WAITS]} wait, {counts[NEVER]} never run.")
