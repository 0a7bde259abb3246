"""What a graph as a whole is about, named in a question: "How many vessels does the fleet have?" asks for all."""

from __future__ import annotations

from chattyshared.language.morphology import analyze_phrase, lemma_of

from chattykg.qir import Relation, is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.parse import Noun, Parse

_LIGHT = frozenset(
    "have own hold keep use offer feature host show include contain possess be do in at of on within for with from "
    "by there".split()
)
_KNOWN = 0.7


def may_be_setting(found: Noun, said: tuple[Atom, ...]) -> bool:
    """Tell whether a noun group may name the whole that the graph describes: "the fleet", unknown to the graph."""
    if len(said) != 2 or said[0].lower != "the" or not is_unknown(found.end) or found.superlative or found.quantity:
        return False
    noun = said[1]
    plain = noun.kind == "word" and not (noun.capital or noun.vertex or noun.value or noun.is_plural)
    return plain and not any(known and known.score >= _KNOWN for known in (noun.group, noun.predicate))


def leave_out_settings(p: Parse) -> None:
    """Leave out the relations to such a whole that say nothing more than that things belong to it."""
    draft = p.draft
    spoken = {draft.target, *draft.targets} | {c.unknown for c in draft.filters} | {h.counted for h in draft.having}
    spoken |= {draft.order.by} if draft.order else set()
    for end in p.settings:
        touching = [relation for relation in draft.triples if end in relation.ends()]
        if end in spoken or len(touching) != 1 or not _is_light(touching[0]):
            continue
        other = next(part for part in touching[0].ends() if part != end)
        rest = [relation for relation in draft.triples if relation is not touching[0] and other in relation.ends()]
        classed = any(unknown == other for unknown, _ in draft.classes)
        if rest or classed or not is_unknown(other):
            draft.triples.remove(touching[0])
            draft.classes = [(unknown, name) for unknown, name in draft.classes if unknown != end]
            draft.pending.pop(end, None)


def _is_light(relation: Relation) -> bool:
    return all(lemma_of(word) in _LIGHT for word in analyze_phrase(relation.relation).lemmas)
