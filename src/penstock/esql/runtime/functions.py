"""The table of functions: from the name in ESQL to the Python function, its arguments and its result.

Checker, compiler and documentation read it. It holds names, not functions, so that importing it is cheap; a
test calls every entry. Functions with words between their arguments (CAST, SUBSTRING, TRIM ...) and those
that the compiler writes itself (CARDINALITY, COALESCE ...) are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """A function's module and signature.

    `most` is None without a limit; `result` is its constant result type, or empty; `null` is "propagate" if
    one NULL makes the result NULL; with `context` the context is the first argument; `takes` is values
    or fields.
    """

    module: str
    python: str
    least: int
    most: int | None
    result: str = ""
    null: str = "propagate"
    context: bool = False
    takes: str = "values"


def _family(module: str, least: int, most: int | None, result: str, names: str) -> dict[str, Function]:
    return {name: Function(module, _python(name), least, most, result) for name in names.split()}


def _python(name: str) -> str:
    return {"ABS": "abs_", "ROUND": "round_"}.get(name, name.lower())


FUNCTIONS: dict[str, Function] = {
    **_family("values.strings", 1, 1, "INTEGER", "LENGTH"),
    **_family("values.strings", 1, 1, "", "UPPER LOWER LTRIM RTRIM"),
    **_family("values.strings", 2, 2, "", "LEFT RIGHT REPLICATE"),
    **_family("values.strings", 2, 3, "", "REPLACE TRANSLATE"),
    **_family("values.strings", 1, 1, "CHARACTER", "SPACE"),
    **_family("values.strings", 2, 2, "BOOLEAN", "CONTAINS STARTSWITH ENDSWITH"),
    "UCASE": Function("values.strings", "upper", 1, 1),
    "LCASE": Function("values.strings", "lower", 1, 1),
    "REPEAT": Function("values.strings", "replicate", 2, 2),
    **_family("values.numbers", 1, 1, "", "ABS SIGN FLOOR SQRT EXP CEILING"),
    **_family(
        "values.numbers",
        1,
        1,
        "FLOAT",
        "ACOS ASIN ATAN COS COSH COT DEGREES LN LOG10 RADIANS SIN SINH TAN TANH",
    ),
    **_family("values.numbers", 2, 2, "FLOAT", "ATAN2"),
    **_family("values.numbers", 2, 2, "", "POWER ROUND TRUNCATE"),
    **_family("values.numbers", 2, 2, "INTEGER", "MOD"),
    **_family("values.numbers", 2, None, "INTEGER", "BITAND BITOR BITXOR"),
    **_family("values.numbers", 1, 1, "INTEGER", "BITNOT"),
    "ABSVAL": Function("values.numbers", "abs_", 1, 1),
    "CEIL": Function("values.numbers", "ceiling", 1, 1),
    "LOG": Function("values.numbers", "ln", 1, 1, "FLOAT"),
    "RAND": Function("values.numbers", "rand", 0, 1, "FLOAT", context=True),
    "FIELDNAME": Function("trees.fields", "fieldname", 1, 1, "CHARACTER", takes="fields"),
    "FIELDNAMESPACE": Function("trees.fields", "fieldnamespace", 1, 1, "CHARACTER", takes="fields"),
    "FIELDTYPE": Function("trees.fields", "fieldtype", 1, 1, "INTEGER", takes="fields"),
    "FIELDVALUE": Function("trees.fields", "fieldvalue", 1, 1, takes="fields"),
    "SAMEFIELD": Function("trees.fields", "samefield", 2, 2, "BOOLEAN", "own", takes="fields"),
    "BITSTREAM": Function("trees.fields", "bitstream", 1, 1, "BLOB", context=True, takes="fields"),
    **_family("misc", 1, 1, "CHARACTER", "BASE64ENCODE"),
    **_family("misc", 1, 1, "BLOB", "BASE64DECODE"),
    "SLEEP": Function("misc", "sleep", 1, 1, "BOOLEAN", "own", context=True),
    "UUIDASCHAR": Function("misc", "uuidaschar", 0, 1, "CHARACTER", context=True),
    "UUIDASBLOB": Function("misc", "uuidasblob", 0, 1, "BLOB", context=True),
}

# Written without parentheses; the context is the only argument.
BARE: dict[str, Function] = {
    "CURRENT_DATE": Function("dates.functions", "current_date", 0, 0, "DATE", context=True),
    "CURRENT_TIME": Function("dates.functions", "current_time", 0, 0, "TIME", context=True),
    "CURRENT_TIMESTAMP": Function("dates.functions", "current_timestamp", 0, 0, "TIMESTAMP", context=True),
    "CURRENT_GMTDATE": Function("dates.functions", "current_gmtdate", 0, 0, "DATE", context=True),
    "CURRENT_GMTTIME": Function("dates.functions", "current_gmttime", 0, 0, "GMTTIME", context=True),
    "CURRENT_GMTTIMESTAMP": Function(
        "dates.functions", "current_gmttimestamp", 0, 0, "GMTTIMESTAMP", context=True
    ),
    "LOCAL_TIMEZONE": Function("dates.functions", "local_timezone", 0, 0, "INTERVAL", context=True),
    "SQLCODE": Function("misc", "sqlcode", 0, 0, "INTEGER", context=True),
    "SQLSTATE": Function("misc", "sqlstate", 0, 0, "CHARACTER", context=True),
    "SQLNATIVEERROR": Function("misc", "sqlnativeerror", 0, 0, "INTEGER", context=True),
    "SQLERRORTEXT": Function("misc", "sqlerrortext", 0, 0, "CHARACTER", context=True),
    "UUIDASCHAR": Function("misc", "uuidaschar", 0, 1, "CHARACTER", context=True),
    "UUIDASBLOB": Function("misc", "uuidasblob", 0, 1, "BLOB", context=True),
}
