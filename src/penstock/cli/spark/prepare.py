"""`penstock spark prepare`: makes the class archive, so that the first start of Spark is a quick one."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption


def prepare(
    here: Annotated[
        bool, typer.Option("--home", help="for this PENSTOCK_HOME, instead of the whole installation")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make the archive of Java classes that halves the start of Spark; `make setup` does so.

    Every home of this installation uses it. Runs an example flow once, which takes about as long as the first
    start without an archive.
    """
    from penstock.cli.printing import show_json
    from penstock.cli.trial_run import TrialRun
    from penstock.spark.starting import class_archive
    from penstock.spark.starting.java import find_java
    from penstock.spark.starting.launcher import spark_home
    from penstock.spark.starting.session import spark_folder

    target = spark_folder() if here else class_archive.shared_folder()
    java, jars = find_java(), spark_home() / "jars"
    place = class_archive.path_of(target, java, jars)
    made = not place.exists() and class_archive.can_be_made(java)
    if made:
        with TemporaryDirectory(prefix="penstock-prepare-") as folder:
            with TrialRun(Path(folder)).running() as trial:
                trial.seconds("spark", 1)
            class_archive.move(class_archive.written(Path(folder) / ".spark"), place)
    if as_json:
        show_json(
            {"archive": str(place), "made": made, "bytes": place.stat().st_size if place.exists() else 0}
        )
    elif not place.exists():
        print(f"Java {java.version} at {java.home} cannot make an archive of classes; Spark works without.")
    else:
        print(f"{place}: {place.stat().st_size >> 20} MiB{'' if made else ', made before'}.")
