"""What the language itself declares: functions with their argument counts, trees, constants.

Facts only. A count of None has no upper limit. The result type is given where it is always the same.
"""

from __future__ import annotations

from penstock.esql.words import words
from penstock.model import constants as mq

TEXT, NUMBER, TRUTH, BYTES = "CHARACTER", "INTEGER", "BOOLEAN", "BLOB"

# name: (least arguments, most arguments, result type or "")
FUNCTIONS: dict[str, tuple[int, int | None, str]] = {
    # text
    "LENGTH": (1, 1, NUMBER),
    "LTRIM": (1, 1, ""),
    "RTRIM": (1, 1, ""),
    "UPPER": (1, 1, ""),
    "UCASE": (1, 1, ""),
    "LOWER": (1, 1, ""),
    "LCASE": (1, 1, ""),
    "LEFT": (2, 2, ""),
    "RIGHT": (2, 2, ""),
    "REPLACE": (2, 3, ""),
    "REPLICATE": (2, 2, ""),
    "REPEAT": (2, 2, ""),
    "SPACE": (1, 1, TEXT),
    "TRANSLATE": (2, 3, ""),
    "CONTAINS": (2, 2, TRUTH),
    "STARTSWITH": (2, 2, TRUTH),
    "ENDSWITH": (2, 2, TRUTH),
    # numbers
    **dict.fromkeys(("ABS", "ABSVAL", "CEIL", "CEILING", "FLOOR", "SIGN", "EXP", "SQRT"), (1, 1, "")),
    **dict.fromkeys(("ACOS", "ASIN", "ATAN", "COS", "COSH", "COT", "DEGREES", "LN", "LOG"), (1, 1, "FLOAT")),
    **dict.fromkeys(("LOG10", "RADIANS", "SIN", "SINH", "TAN", "TANH"), (1, 1, "FLOAT")),
    "ATAN2": (2, 2, "FLOAT"),
    "POWER": (2, 2, ""),
    "MOD": (2, 2, ""),
    "RAND": (0, 1, "FLOAT"),
    "ROUND": (2, 2, ""),
    "TRUNCATE": (2, 2, ""),
    "BITNOT": (1, 1, NUMBER),
    "BITAND": (2, None, NUMBER),
    "BITOR": (2, None, NUMBER),
    "BITXOR": (2, None, NUMBER),
    # fields and lists
    "CARDINALITY": (1, 1, NUMBER),
    "EXISTS": (1, 1, TRUTH),
    "SINGULAR": (1, 1, TRUTH),
    "THE": (1, 1, ""),
    "FIELDNAME": (1, 1, TEXT),
    "FIELDNAMESPACE": (1, 1, TEXT),
    "FIELDTYPE": (1, 1, NUMBER),
    "FIELDVALUE": (1, 1, ""),
    "LASTMOVE": (1, 1, TRUTH),
    "SAMEFIELD": (2, 2, TRUTH),
    "BITSTREAM": (1, 1, BYTES),
    "CONTEXTINVOCATIONNODE": (0, 0, ""),
    # aggregates of SELECT
    "COUNT": (1, 1, NUMBER),
    "SUM": (1, 1, ""),
    "MAX": (1, 1, ""),
    "MIN": (1, 1, ""),
    # others
    "COALESCE": (1, None, ""),
    "NULLIF": (2, 2, ""),
    "EVAL": (1, 1, ""),
    "SLEEP": (1, 1, TRUTH),
    "BASE64ENCODE": (1, 1, TEXT),
    "BASE64DECODE": (1, 1, BYTES),
    "ENCRYPT": (1, None, ""),
    "DECRYPT": (1, None, ""),
    "GROUP": (1, None, ""),
    "UUIDASCHAR": (0, 1, TEXT),
    "UUIDASBLOB": (0, 1, BYTES),
}

# Functions that are written without parentheses.
BARE_FUNCTIONS: dict[str, str] = {
    "CURRENT_DATE": "DATE",
    "CURRENT_TIME": "TIME",
    "CURRENT_TIMESTAMP": "TIMESTAMP",
    "CURRENT_GMTDATE": "DATE",
    "CURRENT_GMTTIME": "GMTTIME",
    "CURRENT_GMTTIMESTAMP": "GMTTIMESTAMP",
    "LOCAL_TIMEZONE": "INTERVAL",
    "SQLCODE": NUMBER,
    "SQLSTATE": TEXT,
    "SQLNATIVEERROR": NUMBER,
    "SQLERRORTEXT": TEXT,
    "UUIDASCHAR": TEXT,
    "UUIDASBLOB": BYTES,
}

# Functions that take a list and give nothing useful for a single field.
LIST_FUNCTIONS = frozenset(("CARDINALITY", "SINGULAR", "THE"))

COMPUTE_TREES = words(
    "INPUTROOT INPUTBODY INPUTPROPERTIES INPUTLOCALENVIRONMENT INPUTDESTINATIONLIST "
    "INPUTEXCEPTIONLIST OUTPUTROOT OUTPUTLOCALENVIRONMENT OUTPUTDESTINATIONLIST OUTPUTEXCEPTIONLIST "
    "ENVIRONMENT"
)
OTHER_TREES = words("ROOT BODY PROPERTIES LOCALENVIRONMENT DESTINATIONLIST EXCEPTIONLIST ENVIRONMENT")
TREES = COMPUTE_TREES | OTHER_TREES
READ_ONLY_TREES = frozenset(("INPUTROOT", "INPUTBODY", "INPUTPROPERTIES"))

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
MQ_CONSTANTS = frozenset(name for name in vars(mq) if name.startswith("MQ"))
EXTRACT_PARTS = words(
    "YEAR MONTH DAY HOUR MINUTE SECOND DAYS DAYOFYEAR DAYOFWEEK MONTHS QUARTEROFYEAR QUARTERS WEEKS "
    "WEEKOFYEAR WEEKOFMONTH ISLEAPYEAR"
)
ROUND_MODES = words(
    "ROUND_UP ROUND_DOWN ROUND_CEILING ROUND_FLOOR ROUND_HALF_UP ROUND_HALF_EVEN ROUND_HALF_DOWN"
)


def is_constant(name: str) -> bool:
    """Whether the language knows a name in capitals as a constant; any MQ...  name is taken for one."""
    return (
        name in BIT_STREAM_OPTIONS
        or name in MQ_CONSTANTS
        or name in ROUND_MODES
        or name in ("NAME", "VALUE", "NAMEVALUE")
        or (name.startswith("MQ") and "_" in name)
    )
