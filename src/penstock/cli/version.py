"""`penstock version`: prints the version and nothing else."""


def version() -> None:
    """Print Penstock's version."""
    from penstock import __version__

    print(__version__)
