"""Dialogues as the rules see them, whichever file they come from: what a file leaves out is empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Seed, Triples, Value

from chattygen.lint.defect import Finding
from chattygen.lint.sparql import Reading, read


@dataclass(frozen=True, slots=True)
class Line:
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
    def query(self) -> Reading:
        """The query as it is read."""
        return read(self.sparql)

    @property
    def is_polar(self) -> bool:
        """Whether the answer is yes or no, by the gold or by the query's form."""
        return bool(self.answers) and self.answers[0].kind == "boolean" if self.answers else self.query.form == "ASK"

    @property
    def said(self) -> tuple[str, ...]:
        """The answers as they would be said."""
        return tuple(spoken(value) for value in self.answers or ())


@dataclass(frozen=True, slots=True)
class Talk:
    """One dialogue. ``turns_asked`` is the number of turns that it should have (0: not known); ``found`` are the
    defects that reading the file has shown. ``names`` holds what is known of things' names, by IRI."""

    id: str
    seed: Seed
    lines: tuple[Line, ...]
    turns_asked: int = 0
    found: tuple[Finding, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def named(self, iri: str) -> tuple[str, ...]:
        """Return the names by which a thing is called: the seed's label, labels in gold answers, what a KG says."""
        stated = (self.seed.label,) if iri == self.seed.iri and self.seed.label else ()
        told = tuple(a.label for line in self.lines for a in line.answers or () if a.value == iri and a.label)
        return tuple(dict.fromkeys((*stated, *told, *self.names.get(iri, ()))))

    def to_be_named(self, line: Line) -> tuple[str, ...]:
        """Return what the standalone question must name: what its query speaks of, but members of an earlier set."""
        if line.link != "among":
            return line.query.iris
        told = {a.value for before in self.lines[: line.number - 1] for a in before.answers or ()}
        return tuple(iri for iri in line.query.iris if iri not in told)

    def all_names(self) -> tuple[str, ...]:
        """Return every name that is known, longest first."""
        told = {spoken(a) for line in self.lines for a in line.answers or () if a.kind != "boolean"}
        given = {name for names in self.names.values() for name in names}
        return tuple(sorted({self.seed.label, *told, *given} - {""}, key=lambda name: (-len(name), name)))

    def knowing(self, names: Mapping[str, tuple[str, ...]]) -> Talk:
        """Return the same dialogue with more names known."""
        return replace(self, names={**self.names, **names})


def spoken(value: Value) -> str:
    """Return how an answer would be said."""
    return value.label or (value.value if value.kind != "iri" else "")
