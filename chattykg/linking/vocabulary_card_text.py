"""Prompt text of a vocabulary card: mentions, classes and predicates line by line, the rest by name only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.scripts import WORD
from chattyshared.terms import iri_to_words
from rdflib import RDF, XSD

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.mentions import Mention

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_CARD_CHARACTERS = 4_800
"""Characters of a card in a prompt: about 1,200 tokens."""
MAX_LINE_CHARACTERS = 240
"""Characters of a line."""
MAX_MENTIONS, MAX_CLASSES_SHOWN = 20, 15
"""Lines of mentions and of classes."""
MAX_NAMES_CHARACTERS = 2_000
"""Characters of the line of classes, or predicates, that are named only."""
MAX_OBJECTS_CHARACTERS = 100
"""Characters of all objects of a predicate that are listed."""
_MAX_OBJECT_CHARACTERS = 40
"""Characters of one object that is listed."""
MAX_WITH_EXAMPLE, MAX_WITH_DOMAIN = 10, 16
"""Predicates with an example, and predicates with their domain and range."""
WHOLE_NAME_SCORE = 0.95
"""Score (0..1) from which words are a whole name."""
_MAX_COMMENT_CHARACTERS, _MAX_CODES_CHARACTERS = 50, 160
"""Characters of a comment, and of one that tells what codes mean."""

_MAX_SAMPLES, _MAX_SAMPLE_CHARACTERS = 2, 16
"""Values that show the format of a predicate, and characters of one."""
_MAX_ENDS = 2
"""Classes at an end of a predicate that are named."""
PREDICATES_HEADING = "predicates, from what to what:"
TEXT_DATATYPES = frozenset((str(XSD.string), str(RDF.langString)))


def render_card(
    mentions: Sequence[Mention],
    classes: Sequence[ClassEntry],
    predicates: Sequence[PredicateEntry],
    further: tuple[Sequence[ClassEntry], Sequence[PredicateEntry]],
    names: Mapping[str, str],
    details: Mapping[str, tuple[str, ...]],
) -> str:
    """Return the text of a card, most relevant first; ``further`` are classes and predicates that are only named.

    ``details`` are values of a predicate, and the subclasses of a class without direct members.
    """
    named_predicates = (*predicates[MAX_WITH_DOMAIN:], *further[1])
    names_lines = [render_names("classes", further[0]), render_names("predicates", named_predicates)]
    names_lines = [line[:MAX_NAMES_CHARACTERS] for line in names_lines if line]
    budget = MAX_CARD_CHARACTERS - sum(len(line) + 1 for line in names_lines)
    lines: list[str] = []
    shown = {entry.label.casefold() for entry in classes[:MAX_CLASSES_SHOWN]}
    shown |= {entry.label.casefold() for entry in predicates[:MAX_WITH_DOMAIN]}
    telling = (m for m in select_informative(mentions) if not (m.iris and m.text.casefold() in shown))
    mention_lines = dict.fromkeys(_mention_line(mention, names) for mention in telling)
    classes = _drop_empty_classes(classes, predicates[:MAX_WITH_DOMAIN], details)
    predicate_lines = [
        _predicate_line(e, names, details.get(e.iri, ()), near=p < MAX_WITH_EXAMPLE)
        for p, e in enumerate(predicates[:MAX_WITH_DOMAIN])
    ]
    heading = [PREDICATES_HEADING] if predicate_lines else []
    for line in (
        *tuple(mention_lines)[:MAX_MENTIONS],
        *(_class_line(entry, details.get(entry.iri, ())) for entry in classes[:MAX_CLASSES_SHOWN]),
        *heading,
        *predicate_lines,
    ):
        text = line[:MAX_LINE_CHARACTERS]
        budget -= len(text) + 1
        if budget < 0:
            break
        lines.append(text)
    return "\n".join((*lines, *names_lines))


def select_informative(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that add something to the others.

    Left out are mentions within a longer one of their kind, within a whole name or within a longer name of the same
    things ("Blade" in "Blade Runer"), values that are the name of a vertex, and what words only resemble that are the
    whole name of a class or predicate.
    """
    kinds = ("class", "predicate")
    names = [m for m in mentions if m.kind == "vertex"]
    whole = {
        kind: [m for m in mentions if m.kind == kind and m.score >= WHOLE_NAME_SCORE] for kind in (*kinds, "vertex")
    }

    def repeats(mention: Mention) -> bool:
        is_weak = mention.kind in kinds and mention.score < WHOLE_NAME_SCORE
        better = (
            [*whole["class"], *whole["predicate"]] if is_weak else whole["vertex"] if mention.kind == "value" else []
        )
        wider = [m for m in mentions if m.kind == mention.kind and m.kind in kinds]
        wider += whole["vertex"] if mention.kind in ("vertex", "value") or not mention.text[:1].islower() else []
        if mention.kind == "vertex":
            wider += [m for m in names if {hit.iri for hit in mention.hits} <= {hit.iri for hit in m.hits}]
        return any(m.holds(mention) and mention.holds(m) for m in better) or any(
            m.holds(mention) and not mention.holds(m) for m in wider
        )

    return [_keep_whole_names(mention) for mention in mentions if not repeats(mention)]


def _keep_whole_names(mention: Mention) -> Mention:
    """Leave out the classes or predicates that words only resemble if they are the whole name of others."""
    scored = zip(mention.iris, mention.scores, strict=False)
    is_whole = bool(mention.scores) and mention.scores[0] >= WHOLE_NAME_SCORE
    return replace(mention, iris=tuple(i for i, s in scored if s >= WHOLE_NAME_SCORE)) if is_whole else mention


def _drop_empty_classes(
    classes: Sequence[ClassEntry], predicates: Sequence[PredicateEntry], details: Mapping[str, tuple[str, ...]]
) -> list[ClassEntry]:
    """Leave out classes without members, unless they have a subclass or are a domain or range."""
    used_classes = {iri for entry in classes for iri in entry.direct_superclasses}
    used_classes |= {iri for entry in predicates for iri in (*entry.domains[:2], *entry.ranges[:2])}
    return [entry for entry in classes if entry.instance_count or entry.iri in used_classes or entry.iri in details]


def render_names(kind: str, entries: Sequence[ClassEntry] | Sequence[PredicateEntry]) -> str:
    """Return the line with the names of classes or predicates ("" without any)."""
    return f"further {kind}: {', '.join(entry.label[:60] for entry in entries)}" if entries else ""


def render_objects(entry: PredicateEntry, longest: int = _MAX_OBJECT_CHARACTERS) -> str:
    """Return a list of the objects of a predicate with few distinct ones ("" for others)."""
    objects, budget = [], MAX_OBJECTS_CHARACTERS
    for value in entry.values:
        if len(value) > longest or budget < len(value) + 2:
            break
        objects.append(value)
        budget -= len(value) + 2
    if not objects:
        return ""
    is_complete = entry.has_all_values and len(objects) == len(entry.values)
    return f"{'one of' if is_complete else 'such as'}: {', '.join(objects)}"


def _mention_line(mention: Mention, names: Mapping[str, str]) -> str:
    descriptions = [
        f"{hit.label[:60]}" + (f" [{_label_of(hit.types[0], names)}]" if hit.types else "") for hit in mention.hits[:3]
    ]
    descriptions += [
        f"{' '.join(str(hit.value).split())[:60]} under {', '.join(_label_of(p, names) for p in hit.predicates[:3])}"
        for hit in mention.values[:2]
    ]
    if mention.kind in ("class", "predicate"):
        descriptions += [_label_of(iri, names)[:60] for iri in mention.iris[:2]]
    return f'mention "{mention.text[:80]}": {mention.kind}' + (f" ({'; '.join(descriptions)})" if descriptions else "")


def _class_line(entry: ClassEntry, subclasses: Sequence[str]) -> str:
    below = f", only as: {', '.join(subclasses)}" if subclasses else ""
    comment = f" - {entry.comment[:80]}" if entry.comment else ""
    return f"class {entry.label}" + (f" ({entry.instance_count})" if entry.instance_count else "") + below + comment


def _predicate_line(entry: PredicateEntry, names: Mapping[str, str], samples: Sequence[str], *, near: bool) -> str:
    # Only the comment gives the unit of a number, unless the label does ("width (mm)"), and the meanings of codes.
    is_unit = is_numeric_predicate(entry) and "(" not in entry.label
    is_code_list = entry.has_all_values and set(entry.values) <= set(WORD.findall(entry.comment))
    longest = _MAX_CODES_CHARACTERS if is_code_list else _MAX_COMMENT_CHARACTERS if is_unit else 0
    comment = f" ({entry.comment[:longest]})" if near and entry.comment and longest else ""
    domain, example = _end_labels(entry.domains, names), _example_text(entry, samples, near=near)
    return f"{entry.label}{comment}: {domain} -> {_range_text(entry, names)}{example}"


def _end_labels(classes: Sequence[str], names: Mapping[str, str]) -> str:
    """Return the labels of the first classes at an end, and how many others there are."""
    more = len(classes) - _MAX_ENDS
    labels = "/".join(_label_of(iri, names) for iri in classes[:_MAX_ENDS])
    return (f"{labels}/+{more}" if more > 0 else labels) or "thing"


def _range_text(entry: PredicateEntry, names: Mapping[str, str]) -> str:
    if entry.object_kind == "iri":
        return _end_labels(entry.ranges, names)
    datatypes: Iterable[str] = (
        "text" if iri in TEXT_DATATYPES else _label_of(iri, names) for iri in entry.datatypes[:2]
    )
    return "/".join(dict.fromkeys(datatypes)) or "text"


def _example_text(entry: PredicateEntry, samples: Sequence[str], *, near: bool) -> str:
    """Return all objects if they are few, else short values, or an example if the predicate is near to the question."""
    if objects := render_objects(entry):
        return f", {objects}"
    is_text = not entry.datatypes or entry.datatypes[0] in TEXT_DATATYPES
    short = [value for value in samples if is_text and value and len(value) <= _MAX_SAMPLE_CHARACTERS]
    examples = short[:_MAX_SAMPLES] or [entry.example[1][:_MAX_OBJECT_CHARACTERS]]
    return f", e.g. {', '.join(examples)}" if examples[0] and near else ""


def _label_of(iri: str, names: Mapping[str, str]) -> str:
    return names.get(iri) or iri_to_words(iri)
