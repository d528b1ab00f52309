"""Filters of subscriptions as ESQL expressions: `CARDINALITY(Body.Order.Item[]) > 2`.

A filter is untrusted text that the queue manager evaluates for every publication: so it is one expression,
over Root and Body of the message, with operators and functions that need little time and memory and access
nothing else. Everything else of ESQL (SELECT, databases, routines, EVAL, SLEEP) is refused.
`host.content_filters` loads this by name if a selector is not in selector syntax.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING

from penstock.esql.compiler.compile import compile_expression
from penstock.esql.parser.program import parse
from penstock.esql.runtime.context import Context
from penstock.esql.source import Source
from penstock.esql.syntax import expressions, functions, paths, types
from penstock.esql.syntax.node import Node, walk
from penstock.esql.syntax.program import Module, Routine
from penstock.esql.syntax.statements import Return
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.tree import Message

_log = logging.getLogger(__name__)
EXPRESSION_CHARACTERS_MAX = 10_240  # as of a selector
JOINS_MAX = 8  # || in one expression: each may copy a whole body
FILTERS_KEPT = 1024
REFUSAL_CHARACTERS_MAX = 300
HEAD = "CREATE FILTER MODULE Expression CREATE FUNCTION Main() RETURNS BOOLEAN RETURN "
ROOTS = frozenset(("ROOT", "BODY", "PROPERTIES"))
TEXT_CALLS = "LENGTH UPPER LOWER UCASE LCASE LTRIM RTRIM LEFT RIGHT CONTAINS STARTSWITH ENDSWITH"
NUMBER_CALLS = "ABS ABSVAL SIGN FLOOR CEIL CEILING ROUND TRUNCATE MOD SQRT BITAND BITOR BITXOR BITNOT"
FIELD_CALLS = "FIELDNAME FIELDNAMESPACE FIELDTYPE FIELDVALUE CARDINALITY EXISTS COALESCE NULLIF SINGULAR"
CALLS = frozenset(f"{TEXT_CALLS} {NUMBER_CALLS} {FIELD_CALLS}".split())
NODES = (
    *(expressions.Literal, expressions.Unary, expressions.Chain, expressions.Comparison, expressions.Is),
    *(expressions.Between, expressions.In, expressions.Like, expressions.CaseExpression, expressions.When),
    *(expressions.Cast, types.DataType, functions.Substring, functions.Trim, functions.Position),
    *(functions.Extract, functions.Round, paths.PlainName, paths.AnyName, paths.Step, paths.Index),
)


@lru_cache(maxsize=FILTERS_KEPT)
def compile_filter(text: str) -> Callable[[Message], bool]:
    """Return a function that tests whether a message matches; 2459 for other text.

    Unknown, and an expression that fails on a message, count as no: a publication is never held up.
    """
    _check(text)
    try:
        module = compile_expression(text).module("Expression")
    except MQError as refused:
        raise _refused(refused.detail.partition("\n    ")[0][:REFUSAL_CHARACTERS_MAX]) from refused
    told = False

    def wanted(message: Message) -> bool:
        nonlocal told
        try:
            return module.run(Context(message)) is True
        except MQError:
            return False
        except Exception:  # noqa: BLE001 - one user's expression on another user's message
            if not told:
                _log.exception("a filter cannot be worked out, so its subscription misses messages: %s", text)
                told = True
            return False

    return wanted


def _check(text: str) -> None:
    if len(text) > EXPRESSION_CHARACTERS_MAX:
        raise _refused(f"it has more than {EXPRESSION_CHARACTERS_MAX} characters")
    parsed = parse(Source("selector", f"{HEAD}{text}\n; END MODULE;"))
    if parsed.findings:
        raise _refused(parsed.findings[0].message)
    nodes = list(walk(_expression(parsed.program.body)))
    for node in nodes:
        _check_node(node)
    if sum(node.operators.count("||") for node in nodes if isinstance(node, expressions.Chain)) > JOINS_MAX:
        raise _refused(f"it has more than {JOINS_MAX} times ||")


def _expression(body: tuple[Node, ...]) -> Node:
    """Return the expression of the only RETURN; text may contain more than it should."""
    if len(body) == 1 and isinstance(body[0], Module) and len(body[0].body) == 1:
        (routine,) = body[0].body
        if isinstance(routine, Routine) and isinstance(routine.body, Return) and routine.body.value:
            return routine.body.value
    raise _refused("it is more than one expression")


def _check_node(node: Node) -> None:
    if isinstance(node, paths.FieldReference):
        first = node.steps[0].name
        if not isinstance(first, paths.PlainName) or first.text.upper() not in ROOTS:
            raise _refused("a field begins with Root, Body or Properties")
    elif isinstance(node, expressions.Call):
        if node.schema or node.name.upper() not in CALLS:
            raise _refused(f"{node.name} is not for filters")
    elif isinstance(node, expressions.Like):
        if not isinstance(node.pattern, expressions.Literal):  # otherwise a publisher could choose the cost
            raise _refused("the pattern of LIKE is a text in quotes")
    elif not isinstance(node, NODES):
        raise _refused(f"{type(node).__name__} is not for filters")


def _refused(why: str) -> MQError:
    return error(mq.MQRC_SELECTOR_SYNTAX_ERROR, f"not an ESQL expression for a filter: {why}")
