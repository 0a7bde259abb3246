"""Verbs of beginning and ending before another verb: "start blooming", "stops to run", as this graph calls it."""

from __future__ import annotations

from chattyshared.language.morphology import label_stems_of, lemma_of, lemma_stem_of, related_stems

from chattykg.rulebook.legacy.parse import Parse

_BEGIN = frozenset("start begin commence".split())
_END = frozenset("stop end finish cease".split())
_EDGES = (
    (_BEGIN, frozenset(lemma_stem_of(word) for word in "start begin first from".split())),
    (_END, frozenset(lemma_stem_of(word) for word in "stop end finish last until to cease".split())),
)


def begun_or_ended(p: Parse, verb: str) -> str:
    """Read the second verb of "start blooming", "begin to bloom" behind the first; return the phrase for both.

    That is the label of a predicate that names both ("bloom start") where there is one; the first verb alone, the
    cursor unmoved, where no second verb follows.
    """
    reader = p.reader
    edges = next((edges for verbs, edges in _EDGES if lemma_of(verb.lower()) in verbs), None)
    infinite = reader.at("to") and reader.peek(1).is_content and not reader.peek(1).is_name
    gerund = reader.peek().lower.endswith("ing") and reader.peek().is_participle
    if edges is None or not (infinite or gerund):
        return verb
    reader.place += infinite
    second = reader.take().text
    for entry in p.card.predicates:
        for label in (entry.label, *entry.alt_labels):
            said = set(label_stems_of(label)) | {lemma_stem_of(word) for word in label.lower().split()}
            if said & edges and said & related_stems(second):
                return label
    return f"{second} {'start' if lemma_of(verb.lower()) in _BEGIN else 'end'}"
