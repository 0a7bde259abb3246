"""New names for the entities of a benchmark: parts of the names of their class, put together as nobody is called."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeGuard

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.kg.labels import language_rank
from chattyshared.language.tokenizer import contains_name, name_pattern, replace_name
from chattyshared.profile import Profile
from chattyshared.terms import Term, Triple
from rdflib import RDF, XSD, Literal, URIRef

from chattygen.twin.swaps import sort_triples

MAX_TRIES = 200
"""Names that are tried for one entity. Set by hand."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """The new text for each old one, how many entities have a new name, and how many keep theirs."""

    texts: Mapping[str, str] = field(default_factory=dict)
    renamed: int = 0
    kept: int = 0

    def rewrite(self, text: str) -> str:
        """Return a text with the new names; of two names that overlap, the longer one counts."""
        if not self.texts:
            return text
        names = sorted(self.texts, key=lambda name: (-len(name), name))
        return re.sub(name_pattern(*names), lambda match: self.texts[match[0]], text)

    def rewrite_dialogue(self, dialogue: Dialogue) -> Dialogue:
        """Return a dialogue with the new names in its questions and answers."""

        def rewritten(turn: Turn) -> Turn:
            answers = tuple(replace(v, label=self.texts.get(v.label, v.label)) for v in turn.answers)
            question, standalone = self.rewrite(turn.question), self.rewrite(turn.standalone)
            return replace(turn, question=question, standalone=standalone, answers=answers)

        seed = replace(dialogue.seed, label=self.texts.get(dialogue.seed.label, dialogue.seed.label))
        return replace(dialogue, seed=seed, turns=tuple(map(rewritten, dialogue.turns)))


@dataclass(slots=True)
class EntityRenamer:
    """Renames entities in ``graph``, in place.

    A new name is that of one entity with the last word of another one's, of the same classes. The graph holds no new
    name. An entity keeps its name if it is a single word, or is that of another entity as well.
    """

    graph: set[Triple]
    profile: Profile
    rng: Random
    texts: dict[Term, list[tuple[Term, URIRef, Literal]]] = field(default_factory=lambda: defaultdict(list))
    types: dict[Term, list[Term]] = field(default_factory=lambda: defaultdict(list))
    holders: dict[str, Term | None] = field(default_factory=dict)
    models: dict[Hashable, list[list[str]]] = field(default_factory=lambda: defaultdict(list))
    renamed: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for subject, predicate, target in sort_triples(self.graph):
            if is_text(target):
                self.texts[subject].append((subject, predicate, target))
                folded = _fold(target)
                self.holders[folded] = None if self.holders.get(folded, subject) != subject else subject
            elif str(predicate) in self.profile.types:
                self.types[subject].append(target)
        for triples in self.texts.values():
            for triple in triples:
                self.models[self._kind(*triple)].append(str(triple[2]).split())

    def rename(self, entities: Iterable[URIRef]) -> Renaming:
        """Give each entity a new name, if one is found, in all of its texts that hold the old one."""
        wanted = sorted(set(entities))
        count = sum(self._rename_entity(entity) for entity in wanted)
        return Renaming(self.renamed, count, len(wanted) - count)

    def _rename_entity(self, entity: URIRef) -> bool:
        naming = {*self.profile.labels, *(iri for _, iri in self.profile.type_labels)}
        own = [triple for triple in self.texts.get(entity, ()) if str(triple[1]) in naming | {*self.profile.alt_labels}]
        labels = [text for _, predicate, text in own if str(predicate) in naming]
        if not labels:
            return False
        label = min(labels, key=lambda text: (language_rank(text, self.profile), text))
        self.renamed.setdefault(str(label), str(label))  # a name that stays, and may have another name in it
        # The shortest name within the label: the label may have a code or a kind as well.
        names = [triple for triple in own if contains_name(label, str(triple[2])) and " " in triple[2]]
        if not names:
            return False
        _, predicate, name = min(names, key=lambda triple: len(triple[2]))
        models = self.models[self._kind(entity, predicate, name)]
        alike = [words for words in models if len(words) == len(name.split()) > 1 and words[-1].isalnum()]
        new = self._find_new_name(str(name), alike)
        if not new or self.holders[_fold(name)] is None:
            return False
        for triple in self.texts[entity]:
            self._rename_text(triple, str(name), new, is_label=str(triple[1]) in naming)
        self.holders[_fold(new)] = entity
        self.renamed[str(name)] = new
        return True

    def _kind(self, entity: Term, predicate: URIRef, name: Literal) -> Hashable:
        """Return what names must have in common to be put together: predicate, language, and classes."""
        return predicate, name.language, *self.types.get(entity, ())

    def _find_new_name(self, name: str, alike: Sequence[list[str]]) -> str:
        """Return a name that nothing has; empty if none is found."""
        for _ in range(MAX_TRIES if len(alike) > 1 else 0):
            first, last = self.rng.sample(alike, 2)
            new = " ".join((*first[:-1], last[-1]))
            if _fold(new) not in self.holders and first[:-1] != name.split()[:-1]:
                return new
        return ""

    def _rename_text(self, triple: tuple[Term, URIRef, Literal], name: str, new: str, *, is_label: bool) -> None:
        """Give a text the new name; an alternative name without the old one is left out, another text stays."""
        subject, predicate, old = triple
        has_name = contains_name(str(old), name)
        if has_name or is_label:
            text = replace_name(str(old), name, new) if has_name else new
            self.graph.discard(triple)
            self.graph.add((subject, predicate, Literal(text, lang=old.language, datatype=old.datatype)))
            self.renamed[str(old)] = text
        elif str(predicate) in self.profile.alt_labels:
            self.graph.discard(triple)


def is_text(term: Term) -> TypeGuard[Literal]:
    """Tell whether a literal may be a name: a text, no number and no date."""
    return isinstance(term, Literal) and term.datatype in (None, XSD.string, RDF.langString) and len(term) > 1


def _fold(term: object) -> str:
    return " ".join(str(term).casefold().split())
