"""The declarations of the language itself: functions with their argument counts, trees, constants.

Facts only. A count of None has no upper limit. The result type is given where it is always the same.
"""

from __future__ import annotations

from penstock.esql.runtime.functions import BARE
from penstock.esql.runtime.functions import FUNCTIONS as RUNTIME
from penstock.esql.words import words
from penstock.model import constants as mq
from penstock.model.reasons import REASONS

NUMBER, TRUTH = "INTEGER", "BOOLEAN"

# name: (least arguments, most arguments, result type or "")
FUNCTIONS: dict[str, tuple[int, int | None, str]] = {
    **{name: (each.least, each.most, each.result) for name, each in RUNTIME.items()},
    # written by the compiler itself: lists, aggregates and others
    "CARDINALITY": (1, 1, NUMBER),
    "EXISTS": (1, 1, TRUTH),
    "SINGULAR": (1, 1, TRUTH),
    "THE": (1, 1, ""),
    "LASTMOVE": (1, 1, TRUTH),
    "COUNT": (1, 1, NUMBER),
    "SUM": (1, 1, ""),
    "MAX": (1, 1, ""),
    "MIN": (1, 1, ""),
    "COALESCE": (1, None, ""),
    "NULLIF": (2, 2, ""),
    "EVAL": (1, 1, ""),
}

# Functions whose result has the type of their first argument.
SAME_TYPE = words(
    "UPPER UCASE LOWER LCASE LTRIM RTRIM LEFT RIGHT REPLICATE REPEAT REPLACE TRANSLATE ABS ABSVAL SIGN FLOOR "
    "CEIL CEILING ROUND TRUNCATE"
)

# Functions that are written without parentheses.
BARE_FUNCTIONS: dict[str, str] = {name: each.result for name, each in BARE.items()}

# Functions that take a list and are useless for a single field.
LIST_FUNCTIONS = frozenset(("CARDINALITY", "SINGULAR", "THE"))

COMPUTE_TREES = words(
    "INPUTROOT INPUTBODY INPUTPROPERTIES INPUTLOCALENVIRONMENT INPUTDESTINATIONLIST "
    "INPUTEXCEPTIONLIST OUTPUTROOT OUTPUTLOCALENVIRONMENT OUTPUTDESTINATIONLIST OUTPUTEXCEPTIONLIST "
    "ENVIRONMENT CONTEXT"
)
OTHER_TREES = words("ROOT BODY PROPERTIES LOCALENVIRONMENT DESTINATIONLIST EXCEPTIONLIST ENVIRONMENT CONTEXT")
TREES = COMPUTE_TREES | OTHER_TREES
READ_ONLY_TREES = frozenset(("INPUTROOT", "INPUTBODY", "INPUTPROPERTIES", "CONTEXT"))

LABELS = words(
    "BROKERNAME BROKERUSERID BROKERVERSION DATABASE SQL EXECUTIONGROUPLABEL MESSAGEFLOWLABEL "
    "NODELABEL NODETYPE QUEUEMANAGERNAME APPLICATIONLABEL LIBRARYLABEL COORDINATEDTRANSACTION "
    "DATASOURCEUSERID TRANSACTIONTYPE ADDITIONALINSTANCES FAMILY PROCESSID WORKPATH CONTEXT "
    "BROKERDATASOURCE BROKERDATASOURCEUSERID MESSAGEOPTIONS SCHEMALABEL INTEGRATIONSERVERLABEL"
)

DOMAINS = words(
    "XML XMLNS XMLNSC MRM JSON BLOB DFDL SOAP MIME IDOC DATAOBJECT JMSMAP JMSSTREAM MQRFH2 MQRFH2C "
    "MQRFH MQMD MQPCF DATABASE DFHCOMMAREA PROPERTIES HTTP NAME VALUE NAMEVALUE"
)
BIT_STREAM_OPTIONS = words(
    "FOLDERBITSTREAM ROOTBITSTREAM EMBEDDEDBITSTREAM VALIDATENONE VALIDATECONTENT VALIDATEVALUE "
    "VALIDATECONTENTANDVALUE VALIDATEEXCEPTION VALIDATEEXCEPTIONLIST VALIDATELOCALERROR "
    "VALIDATECOMPLETE VALIDATEDEFERRED VALIDATEIMMEDIATE VALIDATEINHERIT VALIDATEFULLCONSTRAINTS "
    "VALIDATEBASICVALUECONSTRAINTS VALIDATEFULL VALIDATEBASIC"
)
MQ_CONSTANTS: dict[str, int | str | bytes] = {
    **{each.name: number for number, each in REASONS.items() if each.name.startswith("MQ")},
    **{name: value for name, value in vars(mq).items() if name.startswith("MQ")},
}
EXTRACT_PARTS = words(
    "YEAR MONTH DAY HOUR MINUTE SECOND DAYS DAYOFYEAR DAYOFWEEK MONTHS QUARTEROFYEAR QUARTERS WEEKS "
    "WEEKOFYEAR WEEKOFMONTH ISLEAPYEAR"
)
ROUND_MODES = words(
    "ROUND_UP ROUND_DOWN ROUND_CEILING ROUND_FLOOR ROUND_HALF_UP ROUND_HALF_EVEN ROUND_HALF_DOWN"
)


def is_constant(name: str) -> bool:
    """Whether the language knows a name in capitals as a constant."""
    return (
        name in BIT_STREAM_OPTIONS
        or name in MQ_CONSTANTS
        or name in ROUND_MODES
        or name in ("NAME", "VALUE", "NAMEVALUE")
    )


# Functions of other SQL dialects, and the equivalents in ESQL.
OTHER_SQL = {
    name: f"write {esql}"
    for name, esql in {
        "CHR": "CAST(X'0A' AS CHARACTER CCSID 1208)",
        "CHAR": "CAST(... AS CHARACTER)",
        "CHARINDEX": "POSITION(... IN ...)",
        "CONCAT": "... || ...",
        "GETDATE": "CURRENT_TIMESTAMP",
        "IFNULL": "COALESCE(...)",
        "INSTR": "POSITION(... IN ...)",
        "ISNULL": "... IS NULL, or COALESCE(...)",
        "LEN": "LENGTH(...)",
        "LPAD": "RIGHT(REPLICATE(...) || ..., n)",
        "NOW": "CURRENT_TIMESTAMP",
        "NVL": "COALESCE(...)",
        "RPAD": "LEFT(... || REPLICATE(...), n)",
        "SUBSTR": "SUBSTRING(... FROM ... FOR ...)",
        "SYSDATE": "CURRENT_TIMESTAMP",
        "TO_CHAR": "CAST(... AS CHARACTER FORMAT ...)",
        "TO_DATE": "CAST(... AS DATE FORMAT ...)",
        "TO_NUMBER": "CAST(... AS DECIMAL)",
        "TO_TIMESTAMP": "CAST(... AS TIMESTAMP FORMAT ...)",
    }.items()
}
