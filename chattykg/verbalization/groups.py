"""The aggregates that a query asks for, over all its solutions or for each group of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.text import join_texts
from rdflib import Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import Expression, SelectQuery, variables_of
from chattykg.verbalization.descriptions import OPERATORS, PatternDescriber
from chattykg.verbalization.expressions import NoPhraseError, render_formula
from chattykg.verbalization.measures import (
    aggregate_word,
    compare_measure,
    extreme_clause,
    find_aggregate,
    group_clauses,
    grouped_parts,
    grouped_text,
    introduce_group,
    measure_text,
)
from chattykg.verbalization.phrases import FURTHER, add_every, join_measures, plural_noun, pluralize_clause
from chattykg.verbalization.selections import cut_text, value_text


@dataclass(frozen=True, slots=True)
class GroupVerbalizer:
    """Writes the phrase of a query with aggregates: each is described for itself, by a describer of its own."""

    select: SelectQuery
    describe: Callable[[SelectQuery], PatternDescriber]
    finish: Callable[[str, PatternDescriber], str]
    sentence: Callable[[SelectQuery], str]

    def text(self) -> str:
        """Return the phrase of the query.

        Raises:
            NoPhraseError: no phrase describes it truly.
        """
        select = self.select
        constants = {
            column for sub in select.group.subqueries if sub.is_aggregated and not sub.groups for column in sub.columns
        }
        groups = tuple(group for group in select.groups if group not in constants)
        measures = [column for column in select.columns if column not in groups]
        over_groups = [each for each in select.computed.values() if getattr(each, "vars", None) in groups]
        if any(each.name != "Aggregate_Count" or each.distinct == "DISTINCT" for each in over_groups):
            raise NoPhraseError("an aggregate over its own group")
        order = find_aggregate(select.order[0][0], select) if select.order else None
        if not groups:
            text = join_measures([self._measure(column) for column in measures])
            return text + (FURTHER if select.having else "")
        if len(groups) == 1 and order is not None and (select.limit or not measures):
            return self._ranked(groups[0], order, measures)
        if not measures and (len(groups) > 1 or len(select.having) > 1):
            return self._several(groups, order)
        if not measures:
            own = self._describe(groups[0], *select.having)
            return cut_text(self.finish(add_every(self._group_phrase(own, groups[0])), own), select)
        return self._table(groups, measures, order)

    # measures

    def _describe(self, *expressions: Expression) -> PatternDescriber:
        """Return a describer with the optional parts that bind variables of expressions.

        Raises:
            NoPhraseError: a group is only bound optionally, or other optional parts multiply the solutions.
        """
        select = self.select
        required = select.group.required_variables()
        if not required.issuperset(select.groups):
            raise NoPhraseError("a group that is optional")
        used = self._variables(expressions) - required
        optionals = [each for each in select.group.optionals if used.intersection(variables_of(each))]
        if len(optionals) < len(select.group.optionals):
            raise NoPhraseError("an optional part beside the aggregates")
        return self.describe(replace(select, group=sum(optionals, replace(select.group, optionals=()))))

    def _variables(self, expressions: Sequence[Expression]) -> frozenset[Variable]:
        """Return the variables of expressions and of the aggregates in them."""
        names: frozenset[Variable] = frozenset()
        for name in variables_of(expressions):
            names |= {name} | self._variables([self.select.computed[name]] if name in self.select.computed else [])
        return names

    def _measure(self, column: Variable, groups: Sequence[Any] = ()) -> str:
        """Return an aggregate, or a formula over aggregates, in which each is described for itself."""
        select, is_formula = self.select, find_aggregate(column, self.select) is None

        def refer(term: Any) -> str:
            aggregate = find_aggregate(term, select)
            own = self._describe(term)
            for group in groups:
                introduce_group(own, group)
            if aggregate is None:
                return own.formula_term(term)
            text = self._nested(aggregate) or self.finish(f"the {measure_text(own, aggregate)}", own)
            return f"({text})" if is_formula and ", where " in text else text

        computed = {name: each for name, each in select.computed.items() if find_aggregate(name, select) is None}
        return value_text(render_formula(column, refer, computed))

    def _nested(self, aggregate: CompValue) -> str:
        """Return an aggregate over the solutions of a subquery; "" if it is none."""
        sub = self.select.group.only_subquery
        if sub is None or self.select.groups:
            return ""
        columns = sub.columns if aggregate.vars == "*" else tuple(c for c in sub.columns if c == aggregate.vars)
        if not columns or aggregate.distinct == "DISTINCT":
            raise NoPhraseError("an aggregate over parts of a subquery")
        shown = tuple(dict.fromkeys((*sub.groups, *columns)))
        return f"the {aggregate_word(aggregate)} of these: {self.sentence(replace(sub, columns=shown))}"

    # groups

    def _table(self, groups: Sequence[Any], measures: Sequence[Variable], order: CompValue | None) -> str:
        """Return aggregates for each group, with conditions on them."""
        aggregates = [find_aggregate(column, self.select) for column in measures]
        texts = []
        for column, aggregate in zip(measures, aggregates, strict=True):
            own = self._describe(column)
            if aggregate is None:
                nouns = join_texts([introduce_group(own, group) for group in groups], "and")
                texts.append(f"for each {nouns}, {self._measure(column, groups)}")
            elif len(measures) == 1:
                texts.append(self.finish(grouped_text(own, groups, aggregate), own))
            else:
                owners, text = grouped_parts(own, groups, aggregate)
                texts.append(self.finish(f"for each {owners}, the {text}", own))
        return join_measures(texts) + self._restrictions(aggregates, order)

    def _several(self, groups: Sequence[Any], order: CompValue | None) -> str:
        """Return groups of which an aggregate is tested, or by which they are ordered, that is not shown."""
        select, comparisons = self.select, [self._comparison(each) for each in self.select.having]
        aggregate = comparisons[0][0] if comparisons else order
        used = [each for each, _, _ in comparisons] + [order] * (order is not None)
        if (
            aggregate is None
            or not (comparisons or select.limit)
            or select.offset
            or any(not _is_same(aggregate, each) for each in used)
        ):
            raise NoPhraseError("groups without one aggregate")
        own = self._describe(*groups, aggregate)
        owners, text = grouped_parts(own, groups, aggregate)
        tests = [f"{OPERATORS[operator]}{value}" for _, operator, value in comparisons]
        if order is None or not select.limit:
            return cut_text(self.finish(f"every {owners} for which the {text} is {' and '.join(tests)}", own), select)
        tests.append("highest" if select.order[0][1] else "lowest")
        return self.finish(f"of every {owners}, the {select.limit} for which the {text} is {' and '.join(tests)}", own)

    def _restrictions(self, aggregates: Sequence[CompValue | None], order: CompValue | None) -> str:
        """Return the conditions on the aggregates that are shown, and the number of rows."""
        select = self.select
        words = [aggregate_word(each) if each is not None else "" for each in aggregates]

        def name(aggregate: CompValue | None) -> str:
            shown = [word for each, word in zip(aggregates, words, strict=True) if _is_same(each, aggregate)]
            if aggregate is None or len(shown) != 1 or words.count(shown[0]) > 1:
                raise NoPhraseError("a condition on what is not shown")
            word = shown[0] if shown[0] in ("number", "total", "average") else "value"
            return f"this {word}" if len(words) == 1 else f"the {word}"

        text, comparisons = "", [self._comparison(each) for each in select.having]
        if comparisons:
            text = f", where {' and '.join(f'{name(a)} is {OPERATORS[op]}{value}' for a, op, value in comparisons)}"
        if select.limit and order is not None and not select.offset:
            rank = "highest" if select.order[0][1] else "lowest"
            return f"{text}, only the {select.limit if select.limit > 1 else 'one'} for which {name(order)} is {rank}"
        return text + (f", up to {select.limit} of them" if select.limit else "")

    def _comparison(self, expression: Expression) -> tuple[CompValue, str, str]:
        """Return the aggregate, the operator and the value of a condition on groups.

        Raises:
            NoPhraseError: it is another condition.
        """
        is_comparison = isinstance(expression, CompValue) and expression.name == "RelationalExpression"
        aggregate = find_aggregate(expression.expr, self.select) if is_comparison else None
        if aggregate is None or expression.op not in OPERATORS or find_aggregate(expression.other, self.select):
            raise NoPhraseError("a condition on several aggregates")
        return aggregate, expression.op, self.describe(self.select).formula(expression.other)

    def _group_phrase(self, describer: PatternDescriber, group: Any) -> str:
        """Return a group with the condition on its aggregate."""
        noun = introduce_group(describer, group)
        known = set(describer.aliases)
        conditions = [compare_measure(describer, group, *self._comparison(each)) for each in self.select.having]
        clauses = group_clauses(describer, group, noun, known)
        return " ".join((noun, *conditions)) + (f" and{clauses}" if conditions and clauses else clauses)

    def _condition(self, group: Any, aggregate: CompValue, operator: str, value: str) -> str:
        """Return a condition on an aggregate as a relative clause of several groups."""
        own = self._describe(group, aggregate)
        noun = introduce_group(own, group)
        text = pluralize_clause(compare_measure(own, group, aggregate, operator, value))
        own.clauses(group, noun)
        return self.finish(text, own)

    def _ranked(self, group: Any, order: CompValue, measures: Sequence[Variable]) -> str:
        """Return the first groups by an aggregate."""
        select = self.select
        own = self._describe(group, order, *select.having, *measures)
        noun = introduce_group(own, group)
        plural = plural_noun(noun)
        known = set(own.aliases)
        extent = extreme_clause(own, group, order, is_highest=select.order[0][1])
        tests = [self._comparison(each) for each in select.having]
        notes = [f"{OPERATORS[op]}{value}" for each, op, value in tests if _is_same(each, order)]
        extent += f" ({' and '.join(notes)})" if notes else ""
        parts = [self._condition(group, *each) for each in tests if not _is_same(each[0], order)]
        parts += [each for each in [group_clauses(own, group, noun, known, is_plural_form=True).strip()] if each]
        clauses = f" {' and '.join(parts)}" if parts else ""
        extent = extent if select.limit == 1 else pluralize_clause(extent)
        if not select.limit:
            return self.finish(f"{plural}{clauses}, those {extent} first", own)
        after = f"after the first {select.offset}, " if select.offset else ""
        if clauses:
            head = f"{after}among {plural}{clauses}, the {'one' if select.limit == 1 else select.limit}"
        else:
            head = f"{after}the {noun if select.limit == 1 else f'{select.limit} {plural}'}"
        shown = [find_aggregate(column, select) for column in measures]
        values = ["that value" for each in shown if _is_same(each, order)]
        values += [
            self._measure(c, (group,)) for c, each in zip(measures, shown, strict=True) if not _is_same(each, order)
        ]
        return self.finish(f"{head} {extent}", own) + (f", with {join_texts(values, 'and')}" if values else "")


def _is_same(aggregate: CompValue | None, other: CompValue | None) -> bool:
    """Tell whether two aggregates are the same, whatever variable stands for them."""
    keys = [(each.name, each.vars, each.distinct) for each in (aggregate, other) if each is not None]
    return len(keys) == 2 and keys[0] == keys[1]
