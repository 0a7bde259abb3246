"""Query verbalization: a sentence that states what a query asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import commonprefix

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
_DATE_OPERATORS = {"<": "before ", "<=": "no later than ", ">": "after ", ">=": "no earlier than "}
_HAS_PREFIXES = ("that has a ", "that has an ")
_AGGREGATE_WORDS = {"sum": "total", "avg": "average", "min": "lowest", "max": "highest"}
_PLURALS = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_MAX_CHARACTERS = 400
_NAMELESS = word_set("function_words", "nameless")


def verbalize_query(query: Query, vocabulary: Vocabulary | None = None) -> str:
    """Return a query in words: "every film whose director is Ann Lee and whose year is more than 2010".

    ``vocabulary`` tells which predicates have one object per subject ("the capital", "an actor").
    """
    sentences = [_Verbalizer(each, vocabulary or Vocabulary()).whole() for each in query.alternatives or (query,)]
    sentence = _joined(sentences)
    return sentence if len(sentence) <= _MAX_CHARACTERS else sentence[: _MAX_CHARACTERS - 1] + "…"


def _joined(sentences: Sequence[str]) -> str:
    """Return sentences of alternatives as one: what is the same at their beginnings and ends is said once."""
    words = [sentence.split() for sentence in dict.fromkeys(sentences)]
    if len(words) == 1:
        return sentences[0]
    start = len(commonprefix(words))
    ends = [each[: start - 1 : -1] if start else each[::-1] for each in words]
    end = len(commonprefix(ends))
    middles = [" ".join(each[start : len(each) - end]) for each in words]
    return " ".join([*words[0][:start], " or ".join(middles), *words[0][len(words[0]) - end :]])


def pluralize(noun: str) -> str:
    """Return the plural of an English noun phrase, by rule: of the word before "of", else of the last word."""
    owned, of, owner = noun.partition(" of ")
    if of:
        return pluralize(owned) + of + owner
    head, blank, last = noun.rpartition(" ")
    if last.lower() in _PLURALS.values():
        return noun
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


class _Verbalizer:
    """Builds the text of one query from its target along the relations; each relation is used once."""

    def __init__(self, query: Query, vocabulary: Vocabulary) -> None:
        self.query, self.vocabulary = query, vocabulary
        grounded = query.interpretation.grounded
        self.qir, self.anchors = grounded.qir, grounded.entity_links
        self.classes: dict[str, str] = {}
        for end, found in query.interpretation.classes:
            self.classes.setdefault(end, found.label)
        variables = {"?" + "".join(c for c in unknown if c.isalnum()): unknown for unknown in self.qir.unknowns()}
        self.conditions: dict[str, list[FilterCondition]] = {}
        patterns = (query.pattern, *query.pattern.negated)
        for condition in (c for pattern in patterns for c in pattern.conditions if c.value or not c.excluded_terms):
            unknown = variables.get(condition.variable.rstrip("_"), condition.variable)
            self.conditions.setdefault(unknown, []).append(condition)
        self.given = {unknown: self._labels_of(terms) for unknown, terms in grounded.values}
        self.left = list(query.interpretation.edges)

    def whole(self) -> str:
        """Return the sentence."""
        if self.query.modifier.kind.startswith("ask"):
            return self.truth()
        target, kind = self.qir.target, self.query.modifier.kind
        if kind in ("count", "having count"):
            return f"the number of {self.asked_for(target, is_plural=True)}"
        if kind == "aggregate":
            return (
                f"the {_AGGREGATE_WORDS[self.query.modifier.aggregate]} {self.property_of(target) or self.noun(target)}"
            )
        if kind == "grouped":
            return self.for_each()
        if kind in ("extreme", "ranked", "most"):
            return self.ordered(target)
        return self.asked_for(target)

    def for_each(self) -> str:
        """Return the text of a count or an aggregate for each group."""
        target, aggregate = self.qir.target, self.query.modifier.aggregate
        groups = " and ".join(self.noun(end) for end in self.qir.targets if end != target)
        measure = (
            f"{_AGGREGATE_WORDS[aggregate]} {self.noun(target)}"
            if aggregate
            else f"number of {pluralize(self.noun(target))}"
        )
        return f"the {measure} for each {groups}"

    def asked_for(self, target: str, *, is_plural: bool = False) -> str:
        """Return the text of the target: a property of something, or every thing of a class."""
        text = self.property_of(target, is_plural=is_plural)
        if text:
            return text if is_plural else f"the {text}"
        noun, clauses = self.noun(target), self.clauses(target)
        if is_plural:
            return pluralize(noun) + clauses
        if noun == "thing":
            return f"what{clauses.removeprefix(' that')}" if clauses.startswith(" that ") else f"everything{clauses}"
        return f"{'all' if noun.rpartition(' ')[2].lower() in _PLURALS.values() else 'every'} {noun}{clauses}"

    def property_of(self, target: str, *, is_plural: bool = False) -> str:
        """Return the target as a property ("date of birth of X"), if it has no other condition."""
        incident = [edge for edge in self.left if target in _ends(edge)]
        if len(incident) != 1 or self.query.modifier.having or target in self.conditions or target in self.given:
            return ""
        subject, object_ = _ends(incident[0])
        label = _label(incident[0])
        if object_ != target or _is_verb(label) or incident[0].is_negated:
            return ""
        self.left.remove(incident[0])
        inner = "" if subject in self.anchors or is_plural else self.property_of(subject)
        owner = f"the {inner}" if inner else ""
        owner = owner or (self.name(subject) if subject in self.anchors else f"every {self.described(subject)}")
        return f"{pluralize(label) if is_plural else label} of {owner}"

    def truth(self) -> str:
        """Return the text of a yes-or-no question."""
        statements = [self.statement(edge) for edge in self._drained()]
        for end, link in self.query.interpretation.classes:
            if end in self.given or end in self.anchors:
                statements.append(f"{self.name(end)} is {add_article(link.label)}")
            elif not self.query.interpretation.edges:
                statements.append(f"there is {add_article(link.label)}")
        return f"whether {' and '.join(dict.fromkeys(statements))}" if statements else ""

    def statement(self, edge: LinkedRelation) -> str:
        """Return one relation as a main clause."""
        subject, object_ = _ends(edge)
        label, no = _label(edge), "not " if edge.is_negated else ""
        subject_text = self.name(subject) if self._is_given(subject) else add_article(self.described(subject))
        if _is_verb(label):
            object_text = self.name(object_) if self._is_given(object_) else add_article(self.described(object_))
            return f"{subject_text} {_verb(label, edge.is_negated)} {object_text}"
        if self._is_given(object_):
            which = f"the {label}" if self.is_only(edge) else add_article(label)
            return f"{self.name(object_)} is {no}{which} of {subject_text}"
        value = self.value(object_)
        if value:
            return f"the {label} of {subject_text} is {no}{value}"
        return f"{subject_text} has {'no ' + label if edge.is_negated else add_article(label)}"

    def clauses(self, end: str) -> str:
        """Return the remaining conditions of an unknown as relative clauses."""
        texts = [self.clause(edge, end) for edge in self._drained(end)]
        texts += [f"that is {self.compared(condition)}" for condition in self.conditions.get(end, ())]
        if end in self.given:
            texts.append(f"among {_join(self.given[end], 'and')}")
        texts = [
            one
            for one in texts
            if not any(f"whose {one.removeprefix(has)} is" in two for has in _HAS_PREFIXES for two in texts)
        ]
        return " " + " and ".join(dict.fromkeys(texts)) if texts else ""

    def clause(self, edge: LinkedRelation, end: str) -> str:
        """Return one relation as a relative clause of one of its ends."""
        subject, object_ = _ends(edge)
        label, no = _label(edge), "not " if edge.is_negated else ""
        if end == object_ and subject != end:
            object_text = self.counted(subject, self.noun(subject)).removeprefix("that has ")
            object_text = object_text or (
                self.name(subject) if self._is_given(subject) else add_article(self.described(subject))
            )
            if _is_verb(label):
                return f"that {object_text} {_verb(label, edge.is_negated)}"
            return f"that is {no}{'the' if self._is_given(subject) else 'a'} {label} of {object_text}"
        if _is_verb(label):
            object_text = self.name(object_) if self._is_given(object_) else add_article(self.described(object_))
            return f"that {_verb(label, edge.is_negated)} {object_text}"
        if object_ in self.qir.targets:
            return f"with its {label}"
        object_text = self.counted(object_, label) or (
            self.name(object_) if self._is_given(object_) else self.value(object_)
        )
        if object_text.startswith("that "):
            return object_text
        if edge.is_negated and object_ in self.conditions:
            return f"that has no {label} {object_text}"
        return (
            f"whose {label} is {no}{object_text}"
            if object_text
            else f"that has {'no ' + label if edge.is_negated else add_article(label)}"
        )

    def counted(self, end: str, label: str) -> str:
        """Return the condition on a count as a relative clause."""
        for having in self.query.modifier.having:
            if having.counted == "?" + "".join(c for c in end if c.isalnum()):
                return f"that has {_OPERATORS[having.operator]}{having.value} {pluralize(label)}"
        return ""

    def value(self, end: str) -> str:
        """Return the text of an unknown end from its conditions; "" without any."""
        conditions = [self.compared(condition) for condition in self.conditions.get(end, ())]
        if conditions:
            return " and ".join(conditions)
        has_relation = any(end in _ends(edge) for edge in self.left)
        return add_article(self.described(end)) if has_relation or end in self.classes else ""

    def ordered(self, target: str) -> str:
        """Return the text of a superlative ("the film with the highest runtime"), or of all things in an order."""
        order = self.qir.order
        if order is None:
            return self.asked_for(target)
        order_edge = next((edge for edge in self.left if order.by in _ends(edge)), None)
        if order_edge is not None:
            self.left.remove(order_edge)
        label = _label(order_edge) if order_edge else self.noun(order.by)
        if order.count and self.query.modifier.kind == "most":
            label = self.classes.get(order.by, label)
            extent = f"the {'most' if order.descending else 'fewest'} {pluralize(label)}"
        else:
            extent = f"the {'highest' if order.descending else 'lowest'} {label}"
        noun = self.noun(target)
        if not order.limit:
            return f"{pluralize(noun)}{self.clauses(target)}, those with {extent} first"
        head = f"the {order.limit} {pluralize(noun)}" if order.limit > 1 else f"the {noun}"
        return f"{head} with {extent}{self.clauses(target)}"

    def described(self, end: str) -> str:
        """Return the text of an unknown: its noun and its clauses."""
        return self.noun(end) + self.clauses(end)

    def noun(self, end: str) -> str:
        """Return the noun of an unknown: the label of its class, its name, or "thing"."""
        word = end.lstrip("?").replace("_", " ").strip()
        is_readable = word.replace(" ", "").isalpha() and not set(word.split()) & _NAMELESS
        return self.classes.get(end) or (word if is_readable else "thing")

    def name(self, end: str) -> str:
        """Return the text of a bound end."""
        if end in self.given:
            return _join(self.given[end], "or")
        return self.anchors[end].candidates[0].label if end in self.anchors else self.noun(end)

    def compared(self, condition: FilterCondition) -> str:
        """Return the text of a condition."""
        operators = _DATE_OPERATORS if condition.reading in ("date", "mixed date") else {}
        prefix = operators.get(condition.operator, _OPERATORS[condition.operator])
        return prefix + (
            "the average" if condition.mean_over else condition.value or self.noun(condition.other_variable)
        )

    def is_only(self, edge: LinkedRelation) -> bool:
        """Tell whether the predicate has at most one object per subject."""
        entry = self.vocabulary.predicates.get(edge.candidate.last_predicate)
        return entry is None or entry.is_functional

    def _is_given(self, end: str) -> bool:
        return end in self.anchors or end in self.given

    def _labels_of(self, terms: tuple[object, ...]) -> tuple[str, ...]:
        labels = [c.label for anchor in self.anchors.values() for c in anchor.candidates if c.term in terms]
        return tuple(dict.fromkeys(labels)) or ("those",)

    def _drained(self, end: str = "") -> Iterator[LinkedRelation]:
        """Yield and remove the remaining relations (of an end)."""
        while True:
            edge = next((edge for edge in self.left if not end or end in _ends(edge)), None)
            if edge is None:
                return
            self.left.remove(edge)
            yield edge


def _join(labels: Sequence[str], conjunction: str) -> str:
    """Return labels as a list: A, B and C."""
    return f" {conjunction} ".join((", ".join(labels[:-1]), labels[-1])) if len(labels) > 1 else labels[0]


def _ends(edge: LinkedRelation) -> tuple[str, str]:
    """Return subject and object of the predicate."""
    return edge.relation.ends() if edge.candidate.is_forward else edge.relation.ends()[::-1]


def _label(edge: LinkedRelation) -> str:
    return edge.candidate.label.removeprefix("has ")


def _is_verb(label: str) -> bool:
    """Tell whether the label of a predicate reads as a verb: "headed by", "works in department"."""
    words = label.lower().split()
    begins_like_verb = (
        len(words) > 1 and words[1] in PREPOSITIONS and words[0].endswith(("s", "ed")) and words[1] != "of"
    )
    return begins_like_verb or (len(words) > 1 and words[-1] in ("by", "in", "with", "to", "from", "for", "at", "on"))


def _verb(label: str, negated: bool) -> str:
    """Return a verb in the present tense: "is headed by", "works in", "does not work in"."""
    first, _, rest = label.partition(" ")
    if not first.endswith("s") or first.endswith("ss"):
        return f"is {'not ' if negated else ''}{label}"
    return f"does not {first.removesuffix('s')} {rest}" if negated else label
