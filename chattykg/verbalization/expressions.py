"""SPARQL expressions in words: conditions on one variable, and formulas for everything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.terms import iri_to_words
from rdflib import Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.query.graph_patterns import DATE_PATTERN, NUMBER_PATTERN
from chattykg.query.solution_modifiers import YEAR_OF_DATE
from chattykg.verbalization.algebra import Expression

MAX_TEXT_CHARACTERS = 100
"""Characters of a literal that a sentence shows."""
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_TEXT_FUNCTIONS = {"Builtin_CONTAINS": "contains", "Builtin_STRSTARTS": "starts", "Builtin_STRENDS": "ends"}
_TRANSPARENT = ("Builtin_STR", "Builtin_LCASE", "Builtin_UCASE")
_TYPE_TESTS = ("Builtin_isNUMERIC", "Builtin_isIRI", "Builtin_isURI", "Builtin_isLITERAL")
_LITERAL_PATTERN = re.compile(r"(\^?)((?:[^\\^$.|?*+()\[\]{}]|\\[^\w\s])+)(\$?)")
_SIGNS = {"-": "−", "*": "×"}
_YEAR_LENGTH = "4"
"""Characters of a year at the beginning of a date, as SUBSTR has them."""


class NoPhraseError(ValueError):
    """No true phrase is known for a part of a query."""


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A condition on one variable: an operator, and operands (for ``or`` the conditions of which one holds).

    ``is_period``: the operand is the beginning of a date ("2010"), and so a year, a month or a day.
    """

    variable: Variable
    operator: str
    operands: tuple[Any, ...] = ()
    is_period: bool = False
    is_negated: bool = False


def read_condition(expression: Expression) -> ValueCondition | None:
    """Return an expression as a condition on one variable; None if it is none."""
    if not isinstance(expression, CompValue):
        return None
    if expression.name == "UnaryNot":
        inner = read_condition(expression.expr)
        return None if inner is None else replace(inner, is_negated=not inner.is_negated)
    if expression.name == "RelationalExpression":
        return _read_comparison(expression)
    if expression.name in ("ConditionalOrExpression", "ConditionalAndExpression"):
        return _read_connection(expression)
    if expression.name in _TEXT_FUNCTIONS and isinstance(variable := unwrap(expression.arg1), Variable):
        return ValueCondition(variable, _TEXT_FUNCTIONS[expression.name], (expression.arg2,))
    if expression.name == "Builtin_REGEX" and isinstance(variable := unwrap(expression.text), Variable):
        return _read_pattern(variable, expression.pattern)
    if expression.name in _TYPE_TESTS and isinstance(variable := unwrap(expression.arg), Variable):
        return ValueCondition(variable, "guard")
    if expression.name == "Builtin_LANGMATCHES":
        return _read_language(expression.arg1, expression.arg2)
    return None


def _read_comparison(node: CompValue) -> ValueCondition | None:
    left, operator, right = node.expr, node.op, node.other
    if operator in ("IN", "NOT IN"):
        if isinstance(left, CompValue) and left.name == "Builtin_LANG":
            return _read_language(left, right[0] if len(right) == 1 else Literal("*"))
        variable = unwrap(left)
        operands = tuple(right) if isinstance(right, list) else ()
        return ValueCondition(variable, operator, operands) if isinstance(variable, Variable) and operands else None
    if not isinstance(unwrap(_period_operand(left) or left), Variable) and isinstance(unwrap(right), Variable):
        left, operator, right = right, _FLIPPED[operator], left
    if isinstance(left, CompValue) and left.name == "Builtin_LANG" and operator == "=":
        return _read_language(left, right)
    period = _period_operand(left)
    if period is not None:
        return ValueCondition(period, operator, (right,), is_period=True) if isinstance(right, Literal) else None
    variable = unwrap(left)
    return ValueCondition(variable, operator, (_unwrap_text(right),)) if isinstance(variable, Variable) else None


def _read_connection(node: CompValue) -> ValueCondition | None:
    """Read a disjunction over one variable; a conjunction with type tests is what remains without them."""
    parts = [read_condition(part) for part in (node.expr, *node.other)]
    conditions = [part for part in parts if part is not None]
    if len(conditions) < len(parts) or len({part.variable for part in conditions}) > 1:
        return None
    if node.name == "ConditionalOrExpression":
        if any(part.operator == "guard" for part in conditions):
            return None
        return ValueCondition(conditions[0].variable, "or", tuple(conditions))
    kept = [part for part in conditions if part.operator != "guard"]
    return kept[0] if len(kept) == 1 else conditions[0] if not kept else None


def _read_pattern(variable: Variable, pattern: Expression) -> ValueCondition | None:
    if not isinstance(pattern, Literal):
        return None
    if str(pattern) in (DATE_PATTERN, NUMBER_PATTERN):
        return ValueCondition(variable, "guard")
    found = _LITERAL_PATTERN.fullmatch(str(pattern))
    if found is None:
        return ValueCondition(variable, "matches", (pattern,))
    text = Literal(re.sub(r"\\(.)", r"\1", found[2]))
    operator = {(True, True): "=", (True, False): "starts", (False, True): "ends"}
    return ValueCondition(variable, operator.get((bool(found[1]), bool(found[3])), "contains"), (text,))


def _read_language(call: CompValue, tag: Expression) -> ValueCondition | None:
    if not (isinstance(call, CompValue) and call.name == "Builtin_LANG" and isinstance(call.arg, Variable)):
        return None
    is_any = not isinstance(tag, Literal) or str(tag) in ("", "*")
    return ValueCondition(call.arg, "guard") if is_any else ValueCondition(call.arg, "language", (tag,))


def _period_operand(expression: Expression) -> Variable | None:
    """Return the variable of which an expression takes the year or the beginning; None if it does not."""
    if not isinstance(expression, CompValue):
        return None
    inner = _unwrap_number(expression)
    name = inner.name if isinstance(inner, CompValue) else ""
    is_start = name == "Builtin_SUBSTR" and str(inner.start) == "1" and inner.get("length") is not None
    variable = unwrap(inner.arg) if name == "Builtin_YEAR" or is_start else None
    return variable if isinstance(variable, Variable) else None


def _unwrap_number(expression: Expression) -> Expression:
    if isinstance(expression, CompValue) and expression.name == "Function" and len(expression.expr) == 1:
        return _unwrap_number(expression.expr[0]) if "XMLSchema#" in str(expression.iri) else expression
    return expression


def unwrap(expression: Expression) -> Expression:
    """Return an expression without casts, letter case and STR."""
    expression = _unwrap_number(expression)
    if isinstance(expression, CompValue) and expression.name in _TRANSPARENT:
        return unwrap(expression.arg)
    return expression


def _unwrap_text(expression: Expression) -> Expression:
    inner = unwrap(expression)
    return inner if isinstance(inner, (Literal, URIRef, Variable)) else expression


def _year_operand(expression: Expression) -> Variable | None:
    """Return the variable whose year an expression gives, None if it is no such expression."""
    inner = _unwrap_number(expression)
    if isinstance(inner, CompValue) and inner.name == "Builtin_REPLACE" and str(inner.pattern) == YEAR_OF_DATE:
        variable = unwrap(inner.arg)
        return variable if isinstance(variable, Variable) else None
    is_cut = isinstance(inner, CompValue) and inner.name == "Builtin_SUBSTR"
    if is_cut and str(inner.get("length")) != _YEAR_LENGTH:
        return None
    return _period_operand(expression)


def render_term(term: Any, labels: Callable[[str], str]) -> str:
    """Return the label of an IRI, or the text of a literal, on one line."""
    text = labels(str(term)) if isinstance(term, URIRef) else " ".join(str(term).split())
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[: MAX_TEXT_CHARACTERS - 1]}…"


def render_formula(
    expression: Expression,
    refer: Callable[[Any], str],
    computed: Mapping[Variable, Expression],
    *,
    is_inner: bool = False,
) -> str:
    """Return an expression as a formula: ``refer`` names variables, terms and aggregates."""

    def inner(part: Expression) -> str:
        return render_formula(part, refer, computed, is_inner=True)

    if isinstance(expression, Variable) and expression in computed:
        return render_formula(computed[expression], refer, computed, is_inner=is_inner)
    if not isinstance(expression, CompValue) or expression.name.startswith("Aggregate_"):
        return refer(expression)
    name = expression.name
    if name in ("AdditiveExpression", "MultiplicativeExpression"):
        text = inner(expression.expr)
        for sign, part in zip(expression.op, expression.other, strict=True):
            text += f" {_SIGNS.get(sign, sign)} {inner(part)}"
        return f"({text})" if is_inner else text
    if name == "RelationalExpression":
        others = expression.other
        right = f"({', '.join(map(inner, others))})" if isinstance(others, list) else inner(others)
        return f"{inner(expression.expr)} {expression.op.lower()} {right}"
    if name in ("ConditionalOrExpression", "ConditionalAndExpression"):
        word = " or " if name == "ConditionalOrExpression" else " and "
        text = word.join(map(inner, (expression.expr, *expression.other)))
        return f"({text})" if is_inner else text
    if name in ("UnaryNot", "UnaryMinus"):
        return f"{'not ' if name == 'UnaryNot' else '−'}{inner(expression.expr)}"
    plain = unwrap(expression)
    if plain is not expression:
        return render_formula(plain, refer, computed, is_inner=is_inner)
    if year := _year_operand(expression):
        return f"year of {inner(year)}"
    return _render_call(expression, inner)


def _render_call(call: CompValue, inner: Callable[[Expression], str]) -> str:
    """Return a call of a function with its arguments in the order of the grammar.

    Raises:
        NoPhraseError: the call holds a graph pattern, which no formula can.
    """
    if "graph" in call:
        raise NoPhraseError("a pattern within an expression")
    name = iri_to_words(str(call.iri)) if call.name == "Function" else call.name.removeprefix("Builtin_").lower()
    arguments = [
        argument
        for key, part in call.items()
        if key not in ("_vars", "iri", "distinct") and part is not None
        for argument in (part if isinstance(part, list) else [part])
    ]
    return f"{name}({', '.join(map(inner, arguments))})"
