"""Replays recorded messages on the modules that made them: how many come out equal, and why the rest cannot.

    python tests/unit/esql/replay_recordings.py FOLDER

Every folder directly in FOLDER is a repository. A recording that left a Compute node is an expected output;
the recording of the same message that entered the node is the input, and the flow file says which module
the node runs. Times and UUIDs that the program makes may differ. Not a test: the files of others are not
in this repository.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from penstock.esql.checker.check import checked, examine
from penstock.esql.compiler.compile import compile_sources
from penstock.esql.files import find_files, read_source
from penstock.esql.library import Module
from penstock.esql.recordings import read_recording
from penstock.esql.testing import differences, run_module
from penstock.model.errors import MQError
from penstock.tree import Message, parse
from penstock.tree import Path as FieldPath

CHECKPOINT = ("MessageAssembly", "checkpoint")
COMPUTE = "ComIbmComputeNode"
# A time or a UUID of the recorded run beside one of this run.
CHANGING = re.compile(
    r": (datetime\.datetime\(.*\) instead of datetime\.datetime\(.*\)"
    r"|'[0-9a-f-]{36}' instead of '[0-9a-f-]{36}')$"
)


@dataclass(frozen=True)
class Recorded:
    """Where a recording was taken: the message, the node it left and the node it was going to."""

    file: Path
    message: str
    terminal: str
    left: tuple[str, str]
    entered: tuple[str, str]


def main(folder: Path) -> None:
    equal = total = 0
    for group in sorted(each for each in folder.iterdir() if each.is_dir()):
        for file, verdict in replay_all(group):
            total += 1
            equal += verdict == "equal"
            print(f"{file.relative_to(folder)}: {verdict}")
    print(f"{equal} of {total} recordings replay equal")


def replay_all(group: Path) -> Iterator[tuple[Path, str]]:
    recordings = [recorded(each) for each in sorted(group.rglob("*.mxml"))]
    inputs = {(each.message, each.entered): each for each in recordings}
    used = {
        inputs[each.message, each.left].file
        for each in recordings
        if each.message and (each.message, each.left) in inputs
    }
    for each in recordings:
        if each.file in used:
            yield each.file, "the input of another"
        elif not each.message:
            yield each.file, "an input without a recorded output"
        elif each.left[1] != COMPUTE:
            yield each.file, f"left {each.left[1] or 'no node'}, which runs no ESQL"
        elif (each.message, each.left) not in inputs:
            yield each.file, "no recording of what entered the node"
        else:
            yield each.file, replay(group, inputs[each.message, each.left], each)


def recorded(file: Path) -> Recorded:
    tree = parse(file.read_bytes(), "XMLNSC")

    def place(side: str) -> tuple[str, str]:
        return text(tree, side, "identifier"), text(tree, side, "type")

    terminal = text(tree, "source", "terminal")
    return Recorded(file, text(tree, "messageId"), terminal, place("source"), place("target"))


def text(tree: Message, *names: str) -> str:
    return str(tree.get(FieldPath("XMLNSC", *CHECKPOINT, *names)) or "")


def replay(group: Path, entered: Recorded, left: Recorded) -> str:
    try:
        before, after = read_recording(entered.file), read_recording(left.file)
        outcome = run_module(
            module_of(group, left.left[0]),
            before.message,
            environment=before.environment,
            local_environment=before.local_environment,
        )
    except (MQError, LookupError) as raised:
        return f"fails: {raised}"
    made = [each.message for each in outcome.sent if each.terminal == left.terminal]
    made += [outcome.output] * (outcome.returned is True and left.terminal == "out")
    found = [
        [line for line in differences(each, after.message) if not CHANGING.search(line)] for each in made
    ]
    return "equal" if [] in found else f"differs: {'; '.join(min(found, key=len, default=['nothing sent']))}"


def module_of(group: Path, identifier: str) -> Module:
    """Return the module of a node by `schema.Flow#FCMComposite_1_3`."""
    name, node = identifier.split("#")
    flow = next(
        each
        for each in group.rglob("*.msgflow")
        if each.as_posix().endswith(name.replace(".", "/") + ".msgflow")
    )
    found = re.search(rf'<nodes [^>]*xmi:id="{node}"[^>]*>', flow.read_text())
    if found is None:
        raise LookupError(f"{flow.name} has no node {node}")
    module = found[0].split("esql://routine/")[1].split("#")[1].split(".")[0]
    project = flow.parents[name.count(".")]
    sources = [read_source(each) for each in find_files([project])]
    units = [each for each in examine(sources) if not checked(each).errors]
    return compile_sources([each.source for each in units]).module(module)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
