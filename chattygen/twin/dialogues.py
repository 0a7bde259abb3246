"""The dialogues of a benchmark on its twin graph: the same questions, with the gold that the twin gives."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Triples, Turn, Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.label_ranking import EXACT
from chattyshared.language.scripts import contains_name, replace_name
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.gold_queries import run_query
from chattyshared.sparql.pattern_groups import read_pattern_groups
from chattyshared.sparql.result_comparison import compare_answers, gold_values
from chattyshared.sparql.rewriting import split_query
from chattyshared.terms import Term, Triple
from rdflib import RDF, XSD, Literal, URIRef

from chattygen.snapshot.reproduction import TurnLeftOut
from chattygen.turns import MAX_WITNESS_TRIPLES, to_benchmark_triple

MAX_BEARERS = 10
"""Things of one name that are counted."""


@dataclass(slots=True)
class DialogueReader:
    """Reads one dialogue on the twin, turn by turn.

    ``answers`` holds the earlier turns and their new answers by old answer; ``named`` are the old answers that a later
    question has named. ``is_changed`` tells whether the gold of an earlier turn differs.
    """

    kg: KnowledgeGraph
    untrusted: Endpoint
    graph: Container[Triple]
    seed: str
    named: set[str] = field(default_factory=set)
    answers: dict[str, tuple[Turn, tuple[Value, ...]]] = field(default_factory=dict)
    is_changed: bool = False

    def read(self, turn: Turn) -> Turn:
        """Return a turn with the twin's gold.

        Raises:
            TurnLeftOut: it makes no sense: it refers to an answer that has no counterpart, or has an answer on one
            graph only.
        """
        new = self._refer(turn)
        run = run_query(self.kg, new.sparql, self.untrusted)
        if run.failure:
            raise TurnLeftOut(f"its query fails: {run.failure}")
        values = gold_values(new, run)
        if turn.answerable and not values:
            raise TurnLeftOut("nothing answers it on the twin")
        if values and not turn.answerable:
            raise TurnLeftOut("the twin answers it")
        if new is not turn:
            self._check_classes(turn, values)
        for value in turn.answers:
            self.answers[value.value] = turn, values
        new = replace(new, answers=values)
        self.is_changed |= any(compare_answers(turn.answers, values))
        return replace(new, witness=self._witness(new))

    def _refer(self, turn: Turn) -> Turn:
        """Return a turn whose references to earlier answers are to the new ones."""
        if turn.link == "position" and self.is_changed:
            raise TurnLeftOut("it refers to an earlier answer by its place")
        query = analyze_query(turn.sparql)
        literals = sorted(map(str, query.literals)) if turn.link == "answer" else ()
        for text in (*query.iris, *literals):
            is_topic = text == self.seed and turn.link != "answer"  # else the one that a comparison named
            if is_topic or text not in self.answers:
                continue
            old = next(value for value in self.answers[text][0].answers if value.value == text)
            if self._find_name(turn.question, old, old) is not None:  # what refers to it later means the same
                self.named.add(text)
            new = self._counterpart(text)
            if new is not None:
                names = self._find_name(turn.standalone, old, new)
                if names is None:
                    raise TurnLeftOut(f"its standalone question does not name {old.text}")
                if self._count_bearers(names[1]) > max(1, self._count_bearers(names[0])):
                    raise TurnLeftOut(f"several things are called {names[1]}")
                turn = _with_reference(turn, old, new, names)
        return turn

    def _counterpart(self, text: str) -> Value | None:
        """Return what stands for an earlier answer on the twin; None if it stands for itself."""
        earlier, values = self.answers[text]
        if text in self.named or any(value.value == text for value in values):
            return None
        if len(earlier.answers) != 1 or len(values) != 1 or earlier.answers[0].kind != "iri":
            raise TurnLeftOut(f"it refers to {text}, which has no single counterpart")
        return values[0]

    def _find_name(self, text: str, old: Value, new: Value) -> tuple[str, str] | None:
        """Return the name of an entity in a text, and another one's by the same predicate; None if it has none."""
        if contains_name(text, old.text, ignores_case=False) or old.kind != "iri":
            return (old.text, new.text) if contains_name(text, old.text, ignores_case=False) else None
        edges = self.kg.neighbourhoods([URIRef(old.value), URIRef(new.value)], direction="out")
        old_names, new_names = ([(e.predicate, str(e.object)) for e in edges[URIRef(value.value)] if _is_text(e.object)]
                                for value in (old, new))  # fmt: skip
        pairs = [(name, other) for iri, name in old_names for same, other in new_names if iri == same]
        named = [pair for pair in pairs if contains_name(text, pair[0], ignores_case=False)]
        return max(named, key=lambda pair: (len(pair[0]), pair), default=None)

    def _count_bearers(self, name: str) -> int:
        """Return how many things have a name; of those without a label, the IRI makes it."""
        return sum(hit.score == EXACT for hit in self.kg.search([name], limit=MAX_BEARERS)[name])

    def _check_classes(self, turn: Turn, values: Sequence[Value]) -> None:
        """Check that the answers about another entity are of classes that the question is about.

        Raises:
            TurnLeftOut: they are not.
        """
        old, new = (self.kg.types_of([URIRef(v.value) for v in part if v.kind == "iri"]).values()
                    for part in (turn.answers, values))  # fmt: skip
        if not set(map(frozenset, new)) <= set(map(frozenset, old)):
            raise TurnLeftOut("its answers on the twin are of other classes")

    def _witness(self, turn: Turn) -> Triples:
        """Return the triples of the solutions that gave the answer; none of a false statement."""
        if not turn.answers or turn.answers[0].value == "false":
            return ()
        query = split_query(turn.sparql)
        try:
            rows = self.untrusted.select(query.select("*")) if query else []
        except QUERY_ERRORS:
            return ()
        groups = read_pattern_groups(turn.sparql)
        found = dict.fromkeys(t for row in rows for group in groups for t in group.triples_of(row) if t in self.graph)
        return tuple(map(to_benchmark_triple, found))[:MAX_WITNESS_TRIPLES]


def _is_text(term: Term) -> bool:
    """Tell whether a literal may be a name: a text, no number and no date."""
    return isinstance(term, Literal) and term.datatype in (None, XSD.string, RDF.langString) and len(term) > 1


def _with_reference(turn: Turn, old: Value, new: Value, names: tuple[str, str]) -> Turn:
    """Return a turn that is about another entity than before: query, patterns, and the standalone question."""
    renamed = {old.value: new.value}
    triples = tuple((renamed.get(s, s), p, renamed.get(o, o)) for s, p, o in turn.triples)
    sparql = turn.sparql.replace(f"<{old.value}>", f"<{new.value}>")
    return replace(turn, standalone=replace_name(turn.standalone, *names), sparql=sparql, triples=triples)
