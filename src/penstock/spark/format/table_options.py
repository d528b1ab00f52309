"""The options of a table of Spark's catalogue: kept in the table's schema, and found there again.

Spark gives a Python data source the options of `CREATE TABLE ... USING penstock OPTIONS (...)` when the table
is created, and none when it is read or written. But it stores the schema that the source returned, with the
comments of its columns, and passes it to every reader and writer. So the comment of the first column has the
options, as DESCRIBE shows. A password is never among them: the catalogue is no place for secrets.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.remote_queue_manager import URL_MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql.datasource import CaseInsensitiveDict
    from pyspark.sql.types import StructType

MARK = "penstock options "  # begins the comment of the first column, JSON follows
OF_TABLE = "owner"  # only a table of the catalogue has that
COPY = "option."  # Spark passes each option twice, the second time with this before its name
# what Spark has about a table besides its options
TABLE_WORDS = frozenset(
    (
        OF_TABLE,
        "provider",
        "comment",
        "collation",
        "location",
        "external",
        "is_managed_location",
        "table_type",
    )
)
NO_OPTIONS = (
    "no option arrived. A table keeps its options in its columns: create it without a list of columns, as"
    " CREATE TABLE name USING penstock OPTIONS (url '...', queue '...')"
)


def is_table(options: Mapping[str, str]) -> bool:
    """Return whether options are those of a table that is being created."""
    return OF_TABLE in options


def own_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options that the user gave: all, or those of a table without what Spark adds."""
    if not is_table(options):
        return dict(options)
    return {
        name: text for name, text in options.items() if name not in TABLE_WORDS and not name.startswith(COPY)
    }


def keep_options(columns: str, options: Mapping[str, str]) -> str:
    """Return columns, the first of which carries the options of its table in its comment."""
    text = (MARK + json.dumps(own_options(options), sort_keys=True)).replace("\\", "\\\\").replace("'", "\\'")
    first, others = columns.split(", ", 1)
    return f"{first} COMMENT '{text}', {others}"


def check_secrets(options: Mapping[str, str]) -> None:
    """Refuse a table with a password: 8405."""
    if is_table(options) and "password" in options:
        raise error(
            mq.PSRC_SPARK_OPTION, "a table would keep the password in the catalogue: use passwordFile"
        )


def found_options(options: Mapping[str, str], schema: StructType) -> CaseInsensitiveDict:
    """Return the options of a reader or writer: those given, over those that the columns of a table carry."""
    from pyspark.sql.datasource import CaseInsensitiveDict

    comments = [str(field.metadata.get("comment", "")) for field in schema.fields]
    kept = next((text.removeprefix(MARK) for text in comments if text.startswith(MARK)), "{}")
    found = CaseInsensitiveDict(**{**json.loads(kept), **options})
    if "url" not in found and "journal" not in found:
        raise error(mq.PSRC_SPARK_OPTION, URL_MISSING if found else NO_OPTIONS)
    return found
