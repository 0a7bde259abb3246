"""How a card stands in a prompt: mentions, classes and predicates line by line, what does not fit by name alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.terms import iri_to_words
from rdflib import RDF, XSD

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.mention_detection import Mention

CHARACTERS = 4_800
"""The most that a card fills of a prompt: about 1,200 tokens."""
LONGEST_LINE = 240
MENTIONS, CLASSES = 20, 15
MAX_NAMES_CHARACTERS = 2_000
"""Characters that names alone, of the vocabulary that has no line of its own, may take."""
VALUES = 100
"""Characters that the objects of a predicate with few of them may take."""
_LONGEST_VALUE = 40
HEAD = "predicates, from what to what:"
NEAR, LEADS = 10, 16
"""Predicates that are shown with an example, and predicates that are shown with what they lead from and to."""
WHOLE = 0.95
"""The score of words that are a whole name."""
_LONGEST_COMMENT = 50
_TEXTS = (str(XSD.string), str(RDF.langString))


def render_card(
    mentions: Sequence[Mention],
    classes: Sequence[ClassEntry],
    predicates: Sequence[PredicateEntry],
    further: tuple[Sequence[ClassEntry], Sequence[PredicateEntry]],
    names: Mapping[str, str],
) -> str:
    """Return a card's text, the most relevant first; ``further`` are classes and predicates that are only named."""
    rest = (*predicates[LEADS:], *further[1])
    last = [render_names("classes", further[0]), render_names("predicates", rest)]
    last = [line[:MAX_NAMES_CHARACTERS] for line in last if line]
    budget = CHARACTERS - sum(len(line) + 1 for line in last)
    shown: list[str] = []
    listed = dict.fromkeys(_mention(mention, names) for mention in select_informative(mentions))
    classes = _peopled(classes, predicates[:LEADS])
    leads = [_predicate(entry, names, near=place < NEAR) for place, entry in enumerate(predicates[:LEADS])]
    head = [HEAD] if leads else []
    for line in (*tuple(listed)[:MENTIONS], *(_class(entry) for entry in classes[:CLASSES]), *head, *leads):
        cut = line[:LONGEST_LINE]
        budget -= len(cut) + 1
        if budget < 0:
            break
        shown.append(cut)
    return "\n".join((*shown, *last))


def select_informative(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that tell something beside the others.

    Left out is what lies within a longer mention of its kind, or of a whole name, and the name of a thing as a value;
    and of plain words that are the whole name of a class or predicate, what they only resemble.
    """
    mentions = [_nearest(mention) for mention in mentions]
    spoken = {(m.start, m.end) for m in mentions if m.kind in ("class", "predicate") and m.score >= WHOLE}
    whole = [m for m in mentions if m.kind == "vertex" and m.score >= WHOLE]

    def repeats(mention: Mention) -> bool:
        if mention.kind == "value" and any((m.start, m.end) == (mention.start, mention.end) for m in whole):
            return True
        if (mention.start, mention.end) in spoken and _only_resembles(mention):
            return True
        wider = [m for m in mentions if m.kind == mention.kind and m.kind in ("class", "predicate")]
        wider += whole if mention.kind in ("vertex", "value") or not mention.text[:1].islower() else []
        size = mention.end - mention.start
        return any(m.start <= mention.start and mention.end <= m.end and m.end - m.start > size for m in wider)

    return [mention for mention in mentions if not repeats(mention)]


def _nearest(mention: Mention) -> Mention:
    """Leave out the classes or predicates that words only resemble, where they are the whole name of others."""
    if not mention.scores or mention.scores[0] < WHOLE:
        return mention
    return replace(mention, iris=tuple(i for i, s in zip(mention.iris, mention.scores, strict=False) if s >= WHOLE))


def _only_resembles(mention: Mention) -> bool:
    """Tell whether plain words are not the very name of what was found for them ("bands": The Band)."""
    if mention.kind in ("class", "predicate"):
        return mention.score < WHOLE
    same = any(hit.label.casefold() == mention.text.casefold() for hit in mention.hits)
    return mention.kind == "vertex" and mention.text.islower() and not same


def _peopled(classes: Sequence[ClassEntry], predicates: Sequence[PredicateEntry]) -> list[ClassEntry]:
    """Leave out classes without members, unless another one lies below or a predicate leads from or to them."""
    needed = {iri for entry in classes for iri in entry.direct_superclasses}
    needed |= {iri for entry in predicates for iri in (*entry.domains[:2], *entry.ranges[:2])}
    return [entry for entry in classes if entry.instance_count or entry.iri in needed]


def render_names(kind: str, entries: Sequence[ClassEntry] | Sequence[PredicateEntry]) -> str:
    """Return the line that names classes or predicates and nothing else ("" for none)."""
    return f"further {kind}: {', '.join(entry.label[:60] for entry in entries)}" if entries else ""


def render_objects(entry: PredicateEntry, longest: int = _LONGEST_VALUE) -> str:
    """Say what stands at the object end of a predicate with few distinct objects ("" for others)."""
    said, room = [], VALUES
    for value in entry.values:
        if len(value) > longest or room < len(value) + 2:
            break
        said.append(value)
        room -= len(value) + 2
    if not said:
        return ""
    whole = entry.has_all_values and len(said) == len(entry.values)
    return f"{'one of' if whole else 'such as'}: {', '.join(said)}"


def _mention(mention: Mention, names: Mapping[str, str]) -> str:
    known = [
        f"{hit.label[:60]}" + (f" [{_name(hit.types[0], names)}]" if hit.types else "") for hit in mention.hits[:3]
    ]
    known += [
        f"{' '.join(str(hit.value).split())[:60]} under {', '.join(_name(p, names) for p in hit.predicates[:3])}"
        for hit in mention.values[:2]
    ]
    if mention.kind in ("class", "predicate"):
        known += [_name(iri, names)[:60] for iri in mention.iris[:2]]
    return f'mention "{mention.text[:80]}": {mention.kind}' + (f" ({'; '.join(known)})" if known else "")


def _class(entry: ClassEntry) -> str:
    comment = f" - {entry.comment[:80]}" if entry.comment else ""
    return f"class {entry.label}" + (f" ({entry.instance_count})" if entry.instance_count else "") + comment


def _predicate(entry: PredicateEntry, names: Mapping[str, str], *, near: bool) -> str:
    domain = "/".join(_name(iri, names) for iri in entry.domains[:2]) or "thing"
    # In which unit a number is stands nowhere but in the comment, unless the label says it: "width (mm)".
    told = near and entry.comment and is_numeric_predicate(entry) and "(" not in entry.label
    comment = f" ({entry.comment[:_LONGEST_COMMENT]})" if told else ""
    return f"{entry.label}{comment}: {domain} -> {_range(entry, names)}{_example(entry, near=near)}"


def _range(entry: PredicateEntry, names: Mapping[str, str]) -> str:
    if entry.object_kind == "iri":
        return "/".join(_name(iri, names) for iri in entry.ranges[:2]) or "thing"
    typed: Iterable[str] = ("text" if iri in _TEXTS else _name(iri, names) for iri in entry.datatypes[:2])
    return "/".join(dict.fromkeys(typed)) or "text"


def _example(entry: PredicateEntry, *, near: bool) -> str:
    """Return all objects where they are few, else one, if the predicate is near to the question."""
    few = render_objects(entry)
    if few:
        return f", {few}"
    return f", e.g. {entry.example[1][:40]}" if entry.example[1] and near else ""


def _name(iri: str, names: Mapping[str, str]) -> str:
    return names.get(iri) or iri_to_words(iri)
