"""`penstock version`: prints the version and nothing else."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption


def version(
    as_json: JsonOption = False,
) -> None:
    """Print Penstock's version."""
    from penstock import __version__

    if as_json:
        from penstock.cli.printing import show_json

        show_json({"version": __version__})
    else:
        print(__version__)
