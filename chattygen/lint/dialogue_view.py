"""Dialogues as the rules see them, whichever file they come from: what a file leaves out is empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Seed, Triples, Value
from chattyshared.sparql.analysis import QueryAnalysis, analyze_query

from chattygen.lint.defect import LintFinding


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn. ``form`` and ``link`` are empty, and ``answers`` None, where the file does not say them."""

    number: int
    question: str
    standalone: str
    sparql: str
    form: str = ""
    link: str = ""
    answer_type: str = ""
    answerable: bool = True
    answers: tuple[Value, ...] | None = None
    triples: Triples = ()
    witness: Triples = ()

    @property
    def query(self) -> QueryAnalysis:
        """The query as it is read."""
        return analyze_query(self.sparql)

    @property
    def is_polar(self) -> bool:
        """Whether the answer is yes or no, by the gold or by the query's form."""
        return bool(self.answers) and self.answers[0].kind == "boolean" if self.answers else self.query.form == "ASK"

    @property
    def answer_texts(self) -> tuple[str, ...]:
        """The answers as they would be said."""
        return tuple(value_text(value) for value in self.answers or ())


@dataclass(frozen=True, slots=True)
class DialogueView:
    """One dialogue. ``turns_asked`` is the number of turns that it should have (0: not known); ``found`` are the
    defects that reading the file has shown. ``names`` holds what is known of things' names, by IRI."""

    id: str
    seed: Seed
    turns: tuple[TurnView, ...]
    expected_turns: int = 0
    file_findings: tuple[LintFinding, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names_of(self, iri: str) -> tuple[str, ...]:
        """Return the names by which a thing is called: the seed's label, labels in gold answers, what a KG says."""
        stated = (self.seed.label,) if iri == self.seed.iri and self.seed.label else ()
        told = tuple(a.label for line in self.turns for a in line.answers or () if a.value == iri and a.label)
        return tuple(dict.fromkeys((*stated, *told, *self.names.get(iri, ()))))

    def iris_to_name(self, turn: TurnView) -> tuple[str, ...]:
        """Return what the standalone question must name: what its query speaks of, but members of an earlier set."""
        if turn.link != "among":
            return turn.query.iris
        told = {a.value for before in self.turns[: turn.number - 1] for a in before.answers or ()}
        return tuple(iri for iri in turn.query.iris if iri not in told)

    def all_names(self) -> tuple[str, ...]:
        """Return every name that is known, longest first."""
        told = {value_text(a) for line in self.turns for a in line.answers or () if a.kind != "boolean"}
        given = {name for names in self.names.values() for name in names}
        return tuple(sorted({self.seed.label, *told, *given} - {""}, key=lambda name: (-len(name), name)))

    def with_names(self, names: Mapping[str, tuple[str, ...]]) -> DialogueView:
        """Return the same dialogue with more names known."""
        return replace(self, names={**self.names, **names})


def value_text(value: Value) -> str:
    """Return how an answer would be said."""
    return value.label or (value.value if value.kind != "iri" else "")
