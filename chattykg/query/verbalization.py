"""Sentences made from a query itself, so that a person sees what was really asked."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import PREPOSITIONS

from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.query.candidates import Query
from chattykg.query.graph_patterns import FilterCondition

_OPERATORS = {
    "=": "", "!=": "not ", "<": "less than ", "<=": "at most ", ">": "more than ", ">=": "at least ",
    "contains": "something with ", "starts": "something that starts with ", "ends": "something that ends with ",
}  # fmt: skip
_DATED = {"<": "before ", "<=": "no later than ", ">": "after ", ">=": "no earlier than "}
_HAS = ("that has a ", "that has an ")
_SPOKEN = {"sum": "total", "avg": "average", "min": "lowest", "max": "highest"}
_PLURALS = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_LONGEST = 400
_NAMELESS = word_set("function_words", "nameless")


def verbalize_query(query: Query, vocabulary: Vocabulary | None = None) -> str:
    """Say in words what a query asks: "every film whose director is Ann Lee and whose year is more than 2010".

    ``vocabulary`` tells of which predicates a thing has but one object ("the capital", "an actor").
    """
    told = _Sentence(query, vocabulary or Vocabulary()).whole()
    return told if len(told) <= _LONGEST else told[: _LONGEST - 1] + "…"


def pluralize(noun: str) -> str:
    """Return the plural of an English noun or of the last word of several, by rule."""
    head, blank, last = noun.rpartition(" ")
    if last.lower() in _PLURALS:
        return head + blank + _PLURALS[last.lower()]
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    if last.endswith("s") and not last.endswith("ss"):
        return noun
    return noun + ("es" if last.endswith(("ss", "x", "ch", "sh", "z")) else "s")


def add_article(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return ("an " if noun[:1].lower() in "aeiou" else "a ") + noun


class _Sentence:
    """Walks from what is asked for along the relations; each relation is said once."""

    def __init__(self, query: Query, vocabulary: Vocabulary) -> None:
        self.query, self.vocabulary = query, vocabulary
        grounded = query.interpretation.grounded
        self.qir, self.anchors = grounded.qir, grounded.entity_links
        self.classes: dict[str, str] = {}
        for end, found in query.interpretation.classes:
            self.classes.setdefault(end, found.label)
        variables = {"?" + "".join(c for c in unknown if c.isalnum()): unknown for unknown in self.qir.unknowns()}
        self.conditions: dict[str, list[FilterCondition]] = {}
        for condition in query.pattern.conditions:
            unknown = variables.get(condition.variable.rstrip("_"), condition.variable)
            self.conditions.setdefault(unknown, []).append(condition)
        self.given = {unknown: self._listed(terms) for unknown, terms in grounded.values}
        self.left = list(query.interpretation.edges)

    def whole(self) -> str:
        """Return the sentence."""
        if self.query.modifier.kind.startswith("ask"):
            return self.truth()
        target, kind = self.qir.target, self.query.modifier.kind
        if kind in ("count", "having count"):
            return f"the number of {self.asked_for(target, many=True)}"
        if kind == "aggregate":
            return f"the {_SPOKEN[self.query.modifier.aggregate]} {self.property_of(target) or self.noun(target)}"
        if kind == "grouped":
            return self.for_each()
        if kind in ("extreme", "ranked", "most"):
            return self.ordered(target)
        return self.asked_for(target)

    def for_each(self) -> str:
        """Say a count or an aggregate for each group."""
        target, aggregate = self.qir.target, self.query.modifier.aggregate
        groups = " and ".join(self.noun(end) for end in self.qir.targets if end != target)
        taken = (
            f"{_SPOKEN[aggregate]} {self.noun(target)}" if aggregate else f"number of {pluralize(self.noun(target))}"
        )
        return f"the {taken} for each {groups}"

    def asked_for(self, target: str, *, many: bool = False) -> str:
        """Say what is asked for: a property of something, or every thing of a kind."""
        said = self.property_of(target, many=many)
        if said:
            return said if many else f"the {said}"
        noun = self.noun(target)
        return (pluralize(noun) if many else f"every {noun}") + self.clauses(target)

    def property_of(self, target: str, *, many: bool = False) -> str:
        """Say the target as what something has ("date of birth of X"), if that is all that is known of it."""
        around = [edge for edge in self.left if target in _ends(edge)]
        if len(around) != 1 or self.query.modifier.having or target in self.conditions or target in self.given:
            return ""
        subject, other = _ends(around[0])
        label = _label(around[0])
        if other != target or _is_verb(label) or around[0].is_negated:
            return ""
        self.left.remove(around[0])
        inner = "" if subject in self.anchors or many else self.property_of(subject)
        owner = f"the {inner}" if inner else ""
        owner = owner or (self.name(subject) if subject in self.anchors else f"every {self.described(subject)}")
        return f"{pluralize(label) if many else label} of {owner}"

    def truth(self) -> str:
        """Say a yes-or-no question."""
        told = [self.statement(edge) for edge in self._drained()]
        for end, found in self.query.interpretation.classes:
            if end in self.given or end in self.anchors:
                told.append(f"{self.name(end)} is {add_article(found.label)}")
            elif not self.query.interpretation.edges:
                told.append(f"there is {add_article(found.label)}")
        return f"whether {' and '.join(dict.fromkeys(told))}" if told else ""

    def statement(self, edge: LinkedRelation) -> str:
        """Say one relation as a clause of its own."""
        subject, other = _ends(edge)
        label, no = _label(edge), "not " if edge.is_negated else ""
        one = self.name(subject) if self._is_given(subject) else add_article(self.described(subject))
        if _is_verb(label):
            far = self.name(other) if self._is_given(other) else add_article(self.described(other))
            return f"{one} {_verb(label, edge.is_negated)} {far}"
        if self._is_given(other):
            which = f"the {label}" if self.is_only(edge) else add_article(label)
            return f"{self.name(other)} is {no}{which} of {one}"
        said = self.value(other)
        if said:
            return f"the {label} of {one} is {no}{said}"
        return f"{one} has {'no ' + label if edge.is_negated else add_article(label)}"

    def clauses(self, end: str) -> str:
        """Say all that is left to say of an unknown, as relative clauses."""
        said = [self.clause(edge, end) for edge in self._drained(end)]
        said += [f"that is {self.compared(condition)}" for condition in self.conditions.get(end, ())]
        if end in self.given:
            said.append(f"among {self.given[end]}")
        said = [
            one for one in said if not any(f"whose {one.removeprefix(has)} is" in two for has in _HAS for two in said)
        ]
        return " " + " and ".join(dict.fromkeys(said)) if said else ""

    def clause(self, edge: LinkedRelation, end: str) -> str:
        """Say one relation as a relative clause of one of its ends."""
        subject, other = _ends(edge)
        label, no = _label(edge), "not " if edge.is_negated else ""
        if end == other and subject != end:
            far = self.counted(subject, self.noun(subject)).removeprefix("that has ")
            far = far or (self.name(subject) if self._is_given(subject) else add_article(self.described(subject)))
            if _is_verb(label):
                return f"that {far} {_verb(label, edge.is_negated)}"
            return f"that is {no}{'the' if self._is_given(subject) else 'a'} {label} of {far}"
        if _is_verb(label):
            far = self.name(other) if self._is_given(other) else add_article(self.described(other))
            return f"that {_verb(label, edge.is_negated)} {far}"
        if other in self.qir.targets:
            return f"with its {label}"
        far = self.counted(other, label) or (self.name(other) if self._is_given(other) else self.value(other))
        if far.startswith("that "):
            return far
        return (
            f"whose {label} is {no}{far}"
            if far
            else f"that has {'no ' + label if edge.is_negated else add_article(label)}"
        )

    def counted(self, end: str, label: str) -> str:
        """Say how many of something there must be."""
        for having in self.query.modifier.having:
            if having.counted == "?" + "".join(c for c in end if c.isalnum()):
                return f"that has {_OPERATORS[having.operator]}{having.value} {pluralize(label)}"
        return ""

    def value(self, end: str) -> str:
        """Say an unknown end by what is known of it; "" if that is nothing."""
        compared = [self.compared(condition) for condition in self.conditions.get(end, ())]
        if compared:
            return " and ".join(compared)
        more = any(end in _ends(edge) for edge in self.left)
        return add_article(self.described(end)) if more or end in self.classes else ""

    def ordered(self, target: str) -> str:
        """Say a superlative: "the film with the highest runtime"."""
        order = self.qir.order
        if order is None:
            return self.asked_for(target)
        by = next((edge for edge in self.left if order.by in _ends(edge)), None)
        if by is not None:
            self.left.remove(by)
        label = _label(by) if by else self.noun(order.by)
        if order.count and self.query.modifier.kind == "most":
            label = self.classes.get(order.by, label)
            extent = f"the {'most' if order.descending else 'fewest'} {pluralize(label)}"
        else:
            extent = f"the {'highest' if order.descending else 'lowest'} {label}"
        noun = self.noun(target)
        head = f"the {order.limit} {pluralize(noun)}" if order.limit > 1 else f"the {noun}"
        return f"{head} with {extent}{self.clauses(target)}"

    def described(self, end: str) -> str:
        """Say an unknown with its kind and its clauses."""
        return self.noun(end) + self.clauses(end)

    def noun(self, end: str) -> str:
        """Say what kind of thing an unknown is."""
        word = end.lstrip("?").replace("_", " ").strip()
        plain = word.replace(" ", "").isalpha() and not set(word.split()) & _NAMELESS
        return self.classes.get(end) or (word if plain else "thing")

    def name(self, end: str) -> str:
        """Say an end that is given."""
        if end in self.given:
            return self.given[end]
        return self.anchors[end].candidates[0].label if end in self.anchors else self.noun(end)

    def compared(self, condition: FilterCondition) -> str:
        """Say a condition."""
        spoken = _DATED if condition.reading in ("date", "mixed date") else {}
        told = spoken.get(condition.operator, _OPERATORS[condition.operator])
        return told + ("the average" if condition.mean_over else condition.value or self.noun(condition.other_variable))

    def is_only(self, edge: LinkedRelation) -> bool:
        """Tell whether a thing has at most one of these."""
        entry = self.vocabulary.predicates.get(edge.candidate.last_predicate)
        return entry is None or entry.is_functional

    def _is_given(self, end: str) -> bool:
        return end in self.anchors or end in self.given

    def _listed(self, terms: tuple[object, ...]) -> str:
        labels = [c.label for anchor in self.anchors.values() for c in anchor.candidates if c.term in terms]
        return " or ".join(dict.fromkeys(labels)) or "those"

    def _drained(self, end: str = "") -> Iterator[LinkedRelation]:
        """Yield the relations (at an end) that were not said yet."""
        while True:
            edge = next((edge for edge in self.left if not end or end in _ends(edge)), None)
            if edge is None:
                return
            self.left.remove(edge)
            yield edge


def _ends(edge: LinkedRelation) -> tuple[str, str]:
    """Return subject and object as the graph has them."""
    return edge.relation.ends() if edge.candidate.is_forward else edge.relation.ends()[::-1]


def _label(edge: LinkedRelation) -> str:
    return edge.candidate.label.removeprefix("has ")


def _is_verb(label: str) -> bool:
    """Tell whether a predicate's name reads as a verb: "headed by", "works in department"."""
    words = label.lower().split()
    led = len(words) > 1 and words[1] in PREPOSITIONS and words[0].endswith(("s", "ed")) and words[1] != "of"
    return led or (len(words) > 1 and words[-1] in ("by", "in", "with", "to", "from", "for", "at", "on"))


def _verb(label: str, negated: bool) -> str:
    """Say a verb in the present tense: "is headed by", "works in", "does not work in"."""
    first, _, rest = label.partition(" ")
    if not first.endswith("s") or first.endswith("ss"):
        return f"is {'not ' if negated else ''}{label}"
    return f"does not {first.removesuffix('s')} {rest}" if negated else label
