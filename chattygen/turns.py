"""Turn specifications: what a turn asks, as one value that its query, its gold and its line in a prompt follow from.

Queries are SPARQL 1.1 with full IRIs and no prefixes; their one answer variable is ``?x`` (``?n`` for a number).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Literal

from chattyshared.dialogue import Certificate, Difficulty, LinkName, Triples, UnanswerableKind
from chattyshared.language.inflection import class_noun, denote_persons
from chattyshared.literals import Moment, read_moment, read_number
from chattyshared.question_forms import ANSWER_LINKS, FORM_BY_NAME, QuestionForm
from chattyshared.terms import Term, Triple, n3
from rdflib import Literal as RdfLiteral
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.context.facts import Entity, Fact, HiddenEnds, Shape, Step, chain_patterns
from chattygen.form_registry import form_of

ConditionKind = str
"""``most`` and ``least``: the member with the greatest or smallest value (of dates: the latest or earliest);
``over`` and ``under``: those with a value strictly above or below a bound; ``with`` and ``without``: those with, or
without, a given value; ``rising`` and ``falling``: all members, in that order; ``total`` and ``mean``: the sum and the
average over all members. A form may have a kind of its own, whose name then stands in the prompt."""
QuestionKey = tuple[str, ...]
"""What a turn asks: the entity's IRI and the predicates that lead from it."""
TextPatterns = tuple[tuple[str, str, str], ...]
"""Triple patterns as the benchmark writes them: IRIs bare, literals as N-Triples."""
Expected = tuple[Term, ...] | bool | int | Decimal
"""What a query must give: terms (in order, if the turn asks for one), a truth, or a number."""
SINGULAR_FORMS = frozenset({"count", "two-hop", "boolean"})
"""Forms that a dialogue has once at most, unless the mix wants more: several of them are mechanical."""
MAX_WITNESS_TRIPLES = 100
"""The most witness triples of a turn; answers have no limit."""
NOTHING = HiddenEnds((), ())
ComparableValue = Decimal | Moment
MAX_DIGITS = 18
"""Digits: the most of a number, and the most after its point, that every SPARQL engine keeps."""
MAX_YEAR = 9_999
"""Year: the last that has four digits, as the lexical forms of dates are compared as texts."""
_FLOATS = frozenset({XSD.double, XSD.float})

_KIND_TEXTS: Mapping[str, str] = {
    "most": "the one with the most", "least": "the one with the least", "over": "those over the bound in",
    "under": "those under the bound in", "with": "those with", "without": "those without",
    "rising": "all, in rising order of", "falling": "all, in falling order of", "total": "the sum over all of",
    "mean": "the average over all of",
}  # fmt: skip
_VALUE_KINDS = ("with", "without")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the members of a set, by a value that the KG states about each member.

    ``step`` leads from a member to its value, ``shape`` and ``datatype`` are those of the values, ``value`` is the text
    of the bound or of the given value (empty: none is needed) and ``term`` what a query compares with (of a bound a
    number, or a year as an integer); ``class_labels`` are those of the class of a given entity and of its superclasses.
    """

    kind: ConditionKind
    step: Step
    shape: Shape
    datatype: str = ""
    value: str = ""
    class_labels: tuple[str, ...] = ()
    term: Term | None = None

    def as_prompt_text(self) -> str:
        """Return the condition in one line."""
        what = self.class_labels[0] if self.class_labels else self.datatype or self.shape
        text = f'{_KIND_TEXTS.get(self.kind, self.kind)} "{self.step.label}" [{what}]'
        note = self.step.render_comment() if self.kind not in _VALUE_KINDS else ""
        return text + note + (f': "{self.value}"' if self.value else "")

    @property
    def pattern(self) -> TextPatterns:
        """The triple patterns of the condition on ``?x``, with the value if one is required, else ``?v``."""
        if self.kind in _VALUE_KINDS and self.term is not None:
            return tuple(chain_patterns("?x", [self.step], term_in_pattern(self.term), "?w"))
        return tuple(chain_patterns("?x", [self.step], "?v", "?w"))

    def order_key(self, variable: str) -> str:
        """Return the sort key. Years and months have no order in SPARQL 1.1; their lexical forms do."""
        is_lexical = self.shape == "date" and self.datatype not in ("date", "dateTime")
        return f"STR({variable})" if is_lexical else variable

    def query_parts(self) -> tuple[str, str]:
        """Return what the condition adds to the pattern of its set, and its solution modifiers."""
        pattern = patterns_to_text(self.pattern)
        if self.kind == "without":
            return f" . FILTER NOT EXISTS {{ {pattern} }}", ""
        if self.kind == "with":
            return f" . {pattern}", ""
        if self.kind in ("over", "under"):
            # What is compared is a number, or the year of a date of any datatype; a bare number compares with any.
            key = f"{n3(XSD.integer)}(SUBSTR(STR(?v), 1, 4))" if self.shape == "date" else "?v"
            return f" . {pattern} . FILTER({key} {'>' if self.kind == 'over' else '<'} {self.term})", ""
        order = "DESC" if self.kind in ("most", "falling") else "ASC"
        limit = " LIMIT 1" if self.kind in ("most", "least") else ""
        return f" . {pattern}", f" ORDER BY {order}({self.order_key('?v')}){limit}"


@dataclass(frozen=True)
class TurnSpec:
    """One turn: what it asks about an entity, and its link to an earlier turn (``antecedent_turn``; 0: none).

    Without a ``condition`` it asks ``fact`` of ``entity`` in the given form. With one, the hidden ends of ``fact`` are
    a set, and the condition selects ``members`` from it (forms superlative, filter, conjunction, negation; count: the
    number of selected members; list: its members in order). In a comparison, ``entity`` and ``other_entity`` are the
    set, ``fact`` leads to the compared values, and the condition says which of the two is asked for; with
    ``is_yes_no``, whether it is ``entity``. ``unanswerable`` is the kind of a turn that the KG cannot answer, and
    ``certificate`` says what the KG does not contain.

    Links: ``topic``: the entity was mentioned before; ``answer``: it is the answer of the antecedent; ``among``: the
    set are the answers of the antecedent; ``position``: it is the answer number ``position`` (-1: the last) of the
    antecedent, or of two compared there the other one, which the answer did not name; ``shift``: the question of the
    antecedent, about another entity.

    ``hidden`` is what the KG states of ``fact`` (of the other entity of a comparison: ``other_hidden``), ``stated`` are
    the triples by which the members meet the condition. ``query`` replaces the compiled query. ``told_keys`` are
    questions that it answers besides its own. Before a plan is in order, ``number`` is 0 and ``antecedent_turn`` counts
    within the turns that belong together.
    """

    number: int
    form: str
    link: LinkName
    entity: Entity
    fact: Fact
    condition: Condition | None = None
    other_entity: Entity | None = None
    is_yes_no: bool = False
    position: int = 0
    antecedent_turn: int = 0
    hidden: HiddenEnds = NOTHING
    other_hidden: HiddenEnds = NOTHING
    members: tuple[URIRef, ...] = ()
    stated: tuple[Triple, ...] = ()
    unanswerable: UnanswerableKind | Literal[""] = ""
    certificate: Certificate | None = None
    query: str = ""
    told_keys: frozenset[QuestionKey] = frozenset()

    @property
    def kind(self) -> QuestionForm:
        """What its form is."""
        return FORM_BY_NAME[self.form]

    @property
    def answerable(self) -> bool:
        """Whether the KG can answer."""
        return not self.unanswerable

    @property
    def repeats_question(self) -> bool:
        """Whether it asks the question of its antecedent again, about another entity."""
        return self.link == "shift"

    @property
    def is_at_position(self) -> bool:
        """Whether its entity has a position in the answers of its antecedent, or was compared there."""
        return self.link == "position"

    @property
    def depends_on_answer(self) -> bool:
        """Whether it asks about an earlier answer, or selects from several."""
        return self.link in ANSWER_LINKS

    @property
    def link_quota(self) -> str:
        """The name of the share that turns of its link have in every mix; empty if they have none."""
        if self.opens:
            return "class" if self.is_of_class and self.number != 1 else ""
        return self.link if self.answerable and (self.is_at_position or self.repeats_question) else ""

    @property
    def topic(self) -> str:
        """The predicate that it asks or selects by; of all things of a class with the condition."""
        if self.condition is None or self.other_entity is not None:
            return self.fact.last_step.predicate
        predicate = self.condition.step.predicate
        return f"{predicate} {self.condition.kind} {self.condition.value}" if self.is_of_class else predicate

    @property
    def picks_from_answers(self) -> bool:
        """Whether its set are the answers of its antecedent."""
        return self.link == "among"

    @property
    def is_about_answer(self) -> bool:
        """Whether its entity is the answer of its antecedent."""
        return self.link == "answer"

    @property
    def opens(self) -> bool:
        """Whether it is asked as if nothing came before it."""
        return self.link == "opens"

    @property
    def named_term(self) -> Term | None:
        """What it names besides its topic: what it compares with or repeats a question for, a value that it offers or
        selects by; None if there is nothing."""
        if self.other_entity is not None or self.repeats_question:
            return (self.other_entity or self.entity).iri
        offered = self.hidden.offered_term if self.fact.offered_value else None
        return self.condition.term if self.condition is not None and self.condition.kind in _VALUE_KINDS else offered

    @cached_property
    def said_terms(self) -> frozenset[Term]:
        """What it and its answer name."""
        answers = self.expected if isinstance(self.expected, tuple) else ()
        return frozenset(filter(None, (self.entity.iri, self.named_term, *answers)))

    @property
    def is_ordered(self) -> bool:
        """Whether its answers have an order."""
        return self.condition is not None and self.condition.kind in ("rising", "falling")

    @property
    def is_selection(self) -> bool:
        """Whether a condition selects from the hidden ends of its fact."""
        return self.condition is not None and self.other_entity is None

    @property
    def is_of_class(self) -> bool:
        """Whether its set are all things of a class, which is then its entity."""
        return str(self.entity.iri) in self.fact.end_classes

    @cached_property
    def sparql(self) -> str:
        """Its query.

        Raises:
            ValueError: a term of the KG cannot be written into a query.
        """
        return self.query or form_of(self).compile(self)

    @cached_property
    def expected(self) -> Expected:
        """What its query must give, by what the KG states."""
        expected: Expected = () if self.unanswerable else form_of(self).expect(self)
        return expected

    @property
    def pattern(self) -> TextPatterns:
        """The triple patterns that support the answers, with variables for what is hidden."""
        if self.other_entity is not None:
            return comparison_pattern(self.entity.iri, self.other_entity.iri, self.fact.last_step)
        offered = self.hidden.offered_term if self.kind.is_yes_no else None
        start = "?entity" if self.entity.is_invented else str(self.entity.iri)
        goal = "?x" if offered is None else term_in_pattern(offered)  # a literal such as 0 is false
        pattern = tuple(chain_patterns(start, self.fact.steps, goal))
        if self.condition is None or self.condition.kind == "without":
            return pattern
        return (*pattern, *self.condition.pattern)

    @property
    def witness(self) -> Triples:
        """The triples of the KG that support the answers, as the benchmark writes them; none for a false statement."""
        triples: Iterable[Triple] = self.hidden.triples
        if self.unanswerable or self.expected is False:
            return ()
        if self.other_entity is not None:
            triples = (*self.hidden.triples, *self.other_hidden.triples)
        elif self.condition is not None:
            triples = (*self.hidden.triples_to(self.members), *self.stated)
        elif self.kind.is_yes_no:
            triples = self.hidden.triples_to([self.hidden.offered_term])
        return tuple(map(to_benchmark_triple, [*triples][:MAX_WITNESS_TRIPLES]))

    @property
    def answer_type(self) -> str:
        """The answer type: the label of a class, a datatype, ``boolean`` or ``integer``."""
        if self.kind.is_count:
            return "integer"
        if self.kind.is_yes_no or self.is_yes_no:
            return "boolean"
        if self.other_entity is not None:
            return self.entity.noun or "entity"
        if self.is_selection and self.kind.answer_kind == "number":
            return "decimal"
        if self.fact.shape == "entity" or self.is_selection:
            return self.fact.class_labels[0] if self.fact.class_labels else "entity"
        return self.fact.datatype or "string"

    @property
    def difficulty(self) -> Difficulty:
        """The difficulty.

        Hard: two steps, an operation on an earlier answer, or a selection from a set. Medium: another operation, an
        order, several answers, an incoming edge, an earlier answer, or no answer. Easy: all others.
        """
        if self.unanswerable or self.other_entity is not None or self.is_ordered:
            return "medium"
        is_operation = self.kind.family == "operation"
        if self.is_selection or len(self.fact.steps) > 1 or (is_operation and self.link == "answer"):
            return "hard"
        if is_operation or self.fact.count > 1 or self.fact.last_step.direction == "in" or self.link == "answer":
            return "medium"
        return "easy"

    @cached_property
    def question_keys(self) -> frozenset[QuestionKey]:
        """What it asks and tells, so that nothing is asked twice."""
        return frozenset(self._own_keys()) | self.told_keys

    def _own_keys(self) -> Iterator[QuestionKey]:
        entity, fact, ends = self.entity, self.fact, self.hidden.ends
        key = question_key(entity, fact)
        if entity.is_invented:
            yield "entity", entity.label
        elif self.other_entity is not None:
            yield (fact.last_step.predicate, *sorted(map(str, (entity.iri, self.other_entity.iri))))
        elif self.condition is not None:
            yield (*key, self.condition.step.predicate)
            if self.is_ordered:
                yield key
        else:
            yield key
            if fact.shape == "entity" and len(ends) > 1:
                # Another predicate, or the same in the other direction, may lead to the same entities.
                yield (str(entity.iri), "", *sorted(map(str, ends)))
            elif fact.shape == "entity" and ends:
                # Either of two entities gives the other away.
                yield ("", *sorted(map(str, (entity.iri, *ends))))
            if len(fact.steps) > 1:
                for triple in self.hidden.triples[:1]:
                    yield from ((str(far), key[-1]) for far in (triple[0], triple[2]))

    @cached_property
    def exclusive_keys(self) -> frozenset[QuestionKey]:
        """What no other turn of the dialogue may have: what it asks, and its form if that is asked once only."""
        return self.question_keys | {(self.form,)} if self.form in SINGULAR_FORMS else self.question_keys

    @property
    def leaves_topic(self) -> bool:
        """Whether it is about something that no other turn is about, so that it comes last."""
        return bool(self.unanswerable) and self.link == "shift"

    @property
    def mentioned_class_labels(self) -> tuple[str, ...]:
        """The classes of the entities that it mentions, most specific first."""
        if self.other_entity is not None:
            return self.other_entity.class_labels
        counts = self.kind.is_count or self.fact.shape != "entity"
        return () if counts else self.fact.class_labels or ("something",)

    def with_kinds_before_names(self) -> TurnSpec:
        """Return the turn with entities that are named by kind and name."""
        other = self.other_entity and name_by_kind(self.other_entity)
        return replace(self, entity=name_by_kind(self.entity), other_entity=other)

    def as_prompt_text(self) -> str:
        """Return the turn in one line."""
        link = self.link if not self.antecedent_turn else f"{self.link} of turn {self.antecedent_turn}"
        if self.position:
            link = (
                f"number {self.position} of turn {self.antecedent_turn}"
                if self.position > 0
                else f"last of turn {self.antecedent_turn}"
            )
        text = f"{self.number}. {link} | {'yes-no ' * self.is_yes_no}{self.form} | {_entity_text(self.entity)}"
        if self.other_entity is not None and self.condition is not None:
            return f"{text} or {_entity_text(self.other_entity)} | {self.condition.as_prompt_text()}"
        if self.is_of_class and self.condition is not None:
            of_class = f"all of the class {self.entity.label} (as recorded)"
            return f"{self.number}. {link} | {self.form} | {of_class} | {self.condition.as_prompt_text()}"
        text += f" | {_path_text(self.fact)}"
        text += " (as recorded)" if self.condition is None and self.fact.asks_record(self.form) else ""
        if self.entity.is_invented:
            return f"{text} | another thing, by this name"
        if self.condition is not None:
            return f"{text} | {self.condition.as_prompt_text()}"
        return f'{text} yes-no value: "{self.fact.offered_value}"' if self.kind.is_yes_no else text


def question_key(entity: Entity, fact: Fact) -> QuestionKey:
    """Return what a lookup of a fact asks: the entity, and the predicates, each with its direction."""
    return (str(entity.iri), *(("" if step.direction == "out" else "^") + step.predicate for step in fact.steps))


def first_wins(one: HiddenEnds, other: HiddenEnds, kind: str) -> bool:
    """Tell whether the first of two values is the greater (``most``) or the smaller one."""
    left, right = (comparable_value(hidden.ends[0]) for hidden in (one, other))
    assert left is not None and right is not None
    greater = left > right  # type: ignore[operator]
    return greater if kind == "most" else not greater


def comparable_value(term: Term) -> ComparableValue | None:
    """Return a number, or a date with a four-digit year and no time zone, in a form that can be ordered; else None.

    Values that SPARQL engines read differently are not comparable: with blanks around them, or with more digits than
    engines keep.
    """
    text = str(term)
    if text != text.strip():
        return None
    moment = read_moment(term)
    if moment is not None:
        return moment if 0 < moment.year <= MAX_YEAR and not moment.has_zone else None
    number = read_number(term)
    if number is None or isinstance(term, RdfLiteral) and term.datatype in _FLOATS:
        return number
    _, digits, exponent = number.as_tuple()
    return number if len(digits) <= MAX_DIGITS and -int(exponent) <= MAX_DIGITS else None


def compile_fact_query(entity: Entity, fact: Fact, hidden: HiddenEnds, form: str) -> str:
    """Return the query of a question about one fact.

    Raises:
        ValueError: a term of the KG cannot be written into a query.
    """
    goal = _goal(hidden, form)
    body = " . ".join(map(" ".join, fact_patterns(n3(entity.iri), fact, goal)))
    if hidden.langs and goal == "?x":
        body += " . FILTER(" + " || ".join(f"LANG(?x) = {n3(RdfLiteral(tag))}" for tag in hidden.langs) + ")"
    if FORM_BY_NAME[form].is_yes_no:
        return f"ASK {{ {body} }}"
    if FORM_BY_NAME[form].is_count:
        return f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {body} }}"
    return f"SELECT DISTINCT ?x WHERE {{ {body} }}"


def compile_set_query(owner: URIRef, fact: Fact, condition: Condition, *, is_count: bool = False) -> str:
    """Return the query for the members of a set that meet a condition, for their order, or for their number.

    Raises:
        ValueError: a term of the KG cannot be written into a query.
    """
    added, order = condition.query_parts()
    body = patterns_to_text(tuple(chain_patterns(str(owner), fact.steps, "?x"))) + added
    if is_count:
        return f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {body} }}"
    # SPARQL allows no DISTINCT with an ORDER BY on an unselected variable; each member has one value here.
    return f"SELECT{'' if order else ' DISTINCT'} ?x WHERE {{ {body} }}{order}"


def compile_aggregate_query(owner: URIRef, fact: Fact, condition: Condition, function: str) -> str:
    """Return the query for an aggregate (``SUM``, ``AVG``) of the values of a set's members, each of which has one.

    Raises:
        ValueError: a term of the KG cannot be written into a query.
    """
    members = patterns_to_text(tuple(chain_patterns(str(owner), fact.steps, "?x")))
    values = patterns_to_text(condition.pattern)
    return f"SELECT ({function}(?v) AS ?n) WHERE {{ {{ SELECT DISTINCT ?x ?v WHERE {{ {members} . {values} }} }} }}"


def compile_comparison_query(one: URIRef, other: URIRef, condition: Condition, *, is_yes_no: bool = False) -> str:
    """Return the query for the one of two entities with the greater (``most``) or the smaller value, or whether it is
    the first one.

    Raises:
        ValueError: a term of the KG cannot be written into a query.
    """
    is_most = condition.kind == "most"
    if is_yes_no:
        left, right = condition.order_key("?v"), condition.order_key("?w")
        pattern = patterns_to_text(comparison_pattern(one, other, condition.step))
        return f"ASK {{ {pattern} . FILTER({left} {'>' if is_most else '<'} {right}) }}"
    return (
        f"SELECT ?x WHERE {{ VALUES ?x {{ {n3(one)} {n3(other)} }} {patterns_to_text(condition.pattern)} }} "
        f"ORDER BY {'DESC' if is_most else 'ASC'}({condition.order_key('?v')}) LIMIT 1"
    )


def comparison_pattern(one: URIRef, other: URIRef, step: Step) -> TextPatterns:
    """Return the triple patterns that lead from two entities to the compared values, ``?v`` and ``?w``."""
    return (*chain_patterns(str(one), [step], "?v", "?y"), *chain_patterns(str(other), [step], "?w", "?z"))


def render_pattern(start: str, fact: Fact, hidden: HiddenEnds, form: str) -> str:
    """Return a fact as SPARQL triples, one a line, from ``start`` to ``?x`` or to the value of a yes-no question."""
    goal = _goal(hidden, form)
    lines = [" ".join(triple) + " ." for triple in fact_patterns(start, fact, goal)]
    if hidden.langs and goal == "?x":
        lines.append("keep only values with the language tag " + " or ".join(repr(tag) for tag in hidden.langs))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact as the prompt shows it, with the triples of a query for it, and its yes-no value as a SPARQL term.

    In the triples THIS is the entity, ``?x`` the answer.
    """

    fact: Fact
    triples: str
    offered_value: str = ""

    def as_prompt_text(self) -> str:
        """Return the fact in words and in SPARQL."""
        offer = f" (?x as yes-no value: {self.offered_value})" if self.offered_value else ""
        return f"{self.fact.as_prompt_text()}\n   {' '.join(self.triples.splitlines())}{offer}"


def fact_patterns(start: str, fact: Fact, goal: str) -> Iterator[tuple[str, str, str]]:
    """Yield the triples of a fact as SPARQL writes them."""
    for subject, predicate, value in chain_patterns(start, fact.steps, goal):
        yield subject, n3(URIRef(predicate)), value


def _goal(hidden: HiddenEnds, form: str) -> str:
    return (
        n3(hidden.offered_term) if form and FORM_BY_NAME[form].is_yes_no and hidden.offered_term is not None else "?x"
    )


def term_in_pattern(term: Term) -> str:
    """Return a term as the benchmark writes it: an IRI bare, a literal as N-Triples."""
    return n3(term) if isinstance(term, RdfLiteral) else str(term)


def to_benchmark_triple(triple: Triple) -> tuple[str, str, str]:
    """Return a triple as the benchmark writes it."""
    subject, predicate, value = triple
    return term_in_pattern(subject), str(predicate), term_in_pattern(value)


def patterns_to_text(patterns: Sequence[tuple[str, str, str]]) -> str:
    """Return triple patterns as the body of a query; variables and literals are taken as they are."""
    return " . ".join(
        " ".join(part if part.startswith(("?", '"')) else n3(URIRef(part)) for part in pattern) for pattern in patterns
    )


def name_by_kind(entity: Entity) -> Entity:
    """Return an entity whose kind stands before its name, if its label has the kind in brackets behind: ``the album
    Help!`` for ``Help! (album)``."""
    match = _KIND_BEHIND.fullmatch(entity.label)
    if match is None:
        return entity
    kind, nouns = match["kind"].casefold(), {class_noun(label).casefold() for label in entity.class_labels}
    is_kind = kind in nouns or (denote_persons((kind,)) and denote_persons(entity.class_labels))
    return replace(entity, label=f"the {kind} {match['name']}") if is_kind else entity


_KIND_BEHIND = re.compile(r"(?P<name>\W*\w.*) \((?P<kind>[^()]+)\)")


def _entity_text(entity: Entity) -> str:
    notes = ", ".join(filter(None, (*entity.class_labels[:1], entity.gender)))
    return f'"{entity.label}"' + (f" ({notes})" if notes else "")


def _path_text(fact: Fact) -> str:
    """Return the path from the entity to the hidden ends, as text."""
    path = "THIS"
    for number, step in enumerate(fact.steps, 1):
        end = (
            "?"
            if number == len(fact.steps)
            else f"({fact.via_class_labels[0] if fact.via_class_labels else 'one thing'})"
        )
        path += f" --{step.label}--> {end}" if step.direction == "out" else f" <--{step.label}-- {end}"
    what = "".join(fact.class_labels[:1]) if fact.shape == "entity" else fact.datatype or fact.shape
    size = "1 or more" if fact.count == 1 and fact.asks_several else str(fact.count)
    kind = "; ".join(filter(None, (what, size)))
    return f"{path} [{kind}]{fact.last_step.render_comment(*fact.class_labels[:1])}"
