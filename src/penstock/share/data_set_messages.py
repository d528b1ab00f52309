"""The messages about shared data sets, with MQ's numbers (CSQE).

Texts only: `data_sets` says when, the error log shows them. The words are those that operators of MQ know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SUBJECT = "SMDS({owner}) CFSTRUCT({structure})"
DATA_SET = SUBJECT + " data set {path}"
TEXTS = {
    "status": ("CSQE241I", f"{SUBJECT} now has STATUS({{status}})"),
    "access": ("CSQE242I", f"{SUBJECT} now has ACCESS({{access}})"),
    "rebuilding": ("CSQE252I", f"{DATA_SET} space map will be rebuilt by scanning the structure"),
    "rebuilt": ("CSQE255I", f"{DATA_SET} space map has been rebuilt, message count {{count}}"),
    "formatting": ("CSQE211I", f"Formatting is in progress for {{pages}} pages in {DATA_SET}"),
    "formatted": ("CSQE212I", f"Formatting is complete for {DATA_SET}"),
    "percent": ("CSQE213I", f"{DATA_SET} is now {{percent}}% full"),
    "expanded": (
        "CSQE217I",
        f"Expansion of {DATA_SET} was successful, {{pages}} pages added, total pages {{total}}",
    ),
    "expansion failed": ("CSQE218E", f"Expansion of {DATA_SET} was unsuccessful: {{why}}"),
    "full": (
        "CSQE239I",
        f"{DATA_SET} has become full so new large messages can no longer be stored in it",
    ),
}


def text_of(
    event: str, fields: Mapping[str, int | str], owner: str, structure: str, path: Path
) -> tuple[str, str]:
    """Return the number and text of a message."""
    number, text = TEXTS[event]
    return number, text.format(**fields, owner=owner, structure=structure, path=path)
