"""New names for the entities of a benchmark: parts of the names of their class, put together as nobody is called."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.profile import Profile
from chattyshared.terms import Term, Triple
from rdflib import Literal, URIRef

from chattygen.twin.swaps import sort_triples

MAX_TRIES = 200
"""Names that are tried for one entity. Set by hand."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """The new text for each old name, and how many entities keep theirs."""

    texts: Mapping[str, str] = field(default_factory=dict)
    kept: int = 0

    def rewrite(self, text: str) -> str:
        """Return a text with the new names; of two names that overlap, the longer one counts."""
        if not self.texts:
            return text
        names = sorted(self.texts, key=lambda name: (-len(name), name))
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)"
        return re.sub(pattern, lambda match: self.texts[match[0]], text)

    def rewrite_dialogue(self, dialogue: Dialogue) -> Dialogue:
        """Return a dialogue with the new names in its questions and answers."""

        def rewritten(turn: Turn) -> Turn:
            answers = tuple(replace(v, label=self.texts.get(v.label, v.label)) for v in turn.answers)
            question, standalone = self.rewrite(turn.question), self.rewrite(turn.standalone)
            return replace(turn, question=question, standalone=standalone, answers=answers)

        seed = replace(dialogue.seed, label=self.texts.get(dialogue.seed.label, dialogue.seed.label))
        return replace(dialogue, seed=seed, turns=tuple(map(rewritten, dialogue.turns)))


def rename_entities(graph: set[Triple], entities: Iterable[URIRef], profile: Profile, rng: Random) -> Renaming:
    """Give entities new names, in place: the last word of one name of the class behind the others of another name.

    The graph holds no new name, and no old one but in longer texts. An entity keeps its name if it is a single word, is
    that of another entity as well, or if the class has no second one of as many words. Alternative names are removed.
    """
    naming = {*profile.labels, *(iri for _, iri in profile.type_labels)}
    alternative = set(profile.alt_labels)
    labels: dict[Term, list[Triple]] = defaultdict(list)
    types: dict[Term, list[Term]] = defaultdict(list)
    for triple in sort_triples(graph):
        if str(triple[1]) in naming | alternative and isinstance(triple[2], Literal):
            labels[triple[0]].append(triple)
        elif str(triple[1]) in profile.types:
            types[triple[0]].append(triple[2])
    holders = Counter(name for triples in labels.values() for name in {_fold(t[2]) for t in triples})
    taken, names_by_class = set(holders), _names_by_class(labels, types, naming)
    texts: dict[str, str] = {}
    wanted = sorted(set(entities))
    for entity in wanted:
        own = [triple for triple in labels[entity] if str(triple[1]) in naming]
        names = list(dict.fromkeys(str(triple[2]) for triple in own))
        models = names_by_class.get(tuple(types[entity]), ())
        new = next(_new_names(names[0], models, taken, rng), "") if names else ""
        if not new or any(holders[_fold(triple[2])] > 1 for triple in own):
            continue
        graph -= set(labels[entity])
        graph |= {(s, p, Literal(new, lang=o.language)) for s, p, o in own if isinstance(o, Literal)}
        taken.add(_fold(new))
        texts |= dict.fromkeys(names, new)
    renamed = sum(any(str(t[2]) in texts for t in labels[entity]) for entity in wanted)
    return Renaming(texts, len(wanted) - renamed)


def _names_by_class(
    labels: Mapping[Term, Sequence[Triple]], types: Mapping[Term, Sequence[Term]], naming: set[str]
) -> dict[tuple[Term, ...], list[list[str]]]:
    """Return the words of the first name of each entity, by its classes."""
    names: dict[tuple[Term, ...], list[list[str]]] = defaultdict(list)
    for entity, triples in labels.items():
        first = next((str(o) for _, p, o in triples if str(p) in naming), "")
        names[tuple(types.get(entity, ()))].append(first.split())
    return names


def _new_names(name: str, models: Sequence[list[str]], taken: set[str], rng: Random) -> Iterator[str]:
    """Yield names of as many words as a name that nothing has."""
    alike = [words for words in models if len(words) == len(name.split()) > 1]
    for _ in range(MAX_TRIES if len(alike) > 1 else 0):
        first, last = rng.sample(alike, 2)
        new = " ".join((*first[:-1], last[-1]))
        if _fold(new) not in taken and first[0].casefold() != name.split()[0].casefold():
            yield new


def _fold(term: object) -> str:
    return " ".join(str(term).casefold().split())
