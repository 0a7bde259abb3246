"""What the words of one noun group mean together: a name, a class with its modifiers, a relational noun."""

from __future__ import annotations

from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM

from chattykg.linking.mention_detection import PLURAL_VALUE_SCORE
from chattykg.linking.similarity import lexical_similarity
from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import GENERIC, NAMING
from chattykg.rulebook.legacy.flags import is_flag, set_flag
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.runs import KNOWN

_CALLED, _PLAINLY, _ROLE = 0.5, 0.95, 0.9
_AGGREGATES = {"average": "avg", "mean": "avg", "avg": "avg", "sum": "sum", "overall": "sum", "combined": "sum"}


def relate_head(p: Parse, run: list[Atom], base: Noun | None) -> Noun:
    """Relate a relational noun to its base (or leave it pending)."""
    head = run[-1]
    phrase = " ".join(atom.text for atom in run if atom.lower not in _AGGREGATES) or head.text
    if base is not None and head.lower in NAMING and len(run) == 1 and not base.named and is_unknown(base.end):
        return Noun(base.end, base.head, base.plural, is_class=base.is_class)
    if (
        base is not None
        and len(run) == 1
        and head.lower in ("information", "info", "details", "data", "record", "records")
    ):
        return Noun(base.end, base.head, base.plural, is_class=base.is_class, named=base.named)
    unknown = p.draft.fresh(head.text)
    found = Noun(
        unknown,
        phrase,
        run[-1].is_plural,
        literal=p.is_numeric(head),
        numeric=p.holds_numbers(head),
        is_class=bool(head.group),
    )
    if base is None:
        p.draft.pending[unknown] = phrase
        entry = p.entry(head) if head.predicate and head.predicate.score >= _PLAINLY else None
        if entry is not None and entry.domains:
            p.roles[unknown] = entry
    else:
        p.draft.relate(base.end, phrase, unknown)
    if head.group and not head.predicate:
        p.draft.constrain(unknown, head.text)
    return found


def resolve_run(p: Parse, run: list[Atom]) -> Noun:
    """Make the noun of a run that has neither possessor nor of-chain."""
    head, modifiers = run[-1], run[:-1]
    names = [atom for atom in run if atom.is_name]
    if p.asking:
        return _asked(p, run)
    if head.is_name and not _is_common(head):
        return _name(p, head, modifiers)
    if head.kind == "number" and modifiers:
        return Noun(head.lower, number=True, apposed=" ".join(a.text for a in modifiers))
    if not head.group and (head.predicate or not head.is_name) and names and not head.is_plural | bool(head.vertex):
        return _owned_head(p, run, names[-1])
    if not head.group and (head.predicate or head.lower in NAMING) and modifiers and modifiers[-1].group:
        kind = modifiers[-1]
        base = describe(p, kind, modifiers[:-1])
        if head.lower in NAMING:
            return base
        found = relate_head(p, [head], base)
        found.base = base
        return found
    if head.predicate and not head.group and names:
        return relate_head(p, [head], Noun(names[-1].text, named=True))
    if head.group and len(names) == 1 and _is_one_of(names[0], head):
        return Noun(names[0].text, names[0].text, named=True)
    if head.group or _is_common(head) or head.lower in GENERIC:
        return describe(p, head, modifiers)
    if head.predicate or not names:
        found = relate_head(p, run, None)
        if not head.predicate:
            p.draft.pending.pop(found.end)
        return found
    return describe(p, head, modifiers)


def _name(p: Parse, head: Atom, modifiers: list[Atom]) -> Noun:
    """Make the noun of a name, with what stands before it ("the director Mara Vane")."""
    if modifiers and not head.capital and modifiers[-1].capital and modifiers[-1].vertex and head.vertex:
        head, modifiers = modifiers[-1], modifiers[:-1]  # "the Halley comet": the second name says what the first is
    p.groups.setdefault(head.text, head.classes)
    label = modifiers[-1] if modifiers else None
    role = label is not None and label.predicate is not None and not label.group
    if role and len(modifiers) == 1 and p.reader.done and p.reader.place == 2:
        return relate_head(p, modifiers, Noun(head.text, named=True))
    labels = [atom.text for atom in modifiers if not atom.is_name]
    valued = role and label is not None and p.is_numeric(label)
    return Noun(head.text, head.text, named=True, apposed=" ".join(labels) if role else "", literal=valued)


def _owned_head(p: Parse, run: list[Atom], owner: Atom) -> Noun:
    """Make the noun of "Inception director"; of "the Halley comet", the name alone."""
    if _only_says_what(p, owner, run[-1]):
        return _name(p, owner, [])
    return relate_head(p, [atom for atom in run if atom is not owner], Noun(owner.text, named=True))


def _only_says_what(p: Parse, owner: Atom, head: Atom) -> bool:
    """Tell whether a noun behind a name only says what it is ("the Halley comet"): nothing there is called like it."""
    rest = p.reader.atoms[p.reader.place :]
    told = any(atom.is_verb and not atom.is_name for atom in rest)
    if head.predicate or not owner.vertex or not owner.capital or not told:
        return False
    at = {
        iri
        for term, found in p.card.incident_predicates
        if term in {hit.iri for hit in owner.vertex.hits}
        for iri, _, _ in found
    }
    entries = (entry for entry in p.card.predicates if entry.iri in at)
    return not any(
        lexical_similarity(head.text, name) >= _CALLED for entry in entries for name in (entry.label, *entry.alt_labels)
    )


def is_classy(head: Atom) -> bool:
    """Tell whether a noun names a class at least as well as it names a predicate."""
    return head.group is not None and (head.predicate is None or head.group.score >= head.predicate.score)


def _is_one_of(name: Atom, group: Atom) -> bool:
    """Tell whether a name is of the class behind it ("the Sales department" is the department called Sales)."""
    hits = name.vertex.hits[:3] if name.vertex else ()
    classes = set(group.group.iris) if group.group else set()
    return not group.is_plural and any(classes.intersection(hit.types) for hit in hits)


def _asked(p: Parse, run: list[Atom]) -> Noun:
    """Make the noun of "which NOUN": always an unknown, whatever else its words may name."""
    found = _asked_noun(p, run)
    entry = p.entry(run[-1]) if run[-1].predicate and run[-1].predicate.score >= _ROLE else None
    if entry is not None and len(run) == 1:
        p.named_by[found.end] = entry
    return found


def _asked_noun(p: Parse, run: list[Atom]) -> Noun:
    head = run[-1]
    if is_classy(head) or _is_common(head) and not head.predicate:
        return describe(p, head, run[:-1])
    if head.vertex and not head.capital and not head.predicate:
        return describe(p, head, run[:-1])
    if len(run) > 1 and run[-2].group and head.predicate and p.is_numeric(head):
        base = describe(p, run[-2], run[:-2])
        found = relate_head(p, [head], base)
        found.base = base
        return found
    named = [atom for atom in run[:-1] if atom.vertex or atom.value]
    found = relate_head(p, [atom for atom in run if atom not in named and not atom.is_name] or [head], None)
    for atom in named:
        p.draft.relate(found.end, "", atom.text)
    if not head.predicate:
        p.draft.pending.pop(found.end, None)
    return found


def is_kind(head: Atom) -> bool:
    """Tell whether a common noun is known as a literal alone ("the shortest drama" where the graph has a genre)."""
    return head.value is not None and not (head.capital or head.vertex or head.group or head.predicate)


def _is_common(head: Atom) -> bool:
    """Tell whether a name is used as a common noun ("swimmers", where the graph has a vertex or a value "swimmer")."""
    if not head.is_plural or head.capital:
        return False
    kind = head.value is not None and head.value.score <= PLURAL_VALUE_SCORE
    return kind or head.vertex is not None and head.size == 1


def describe(p: Parse, head: Atom, modifiers: list[Atom]) -> Noun:
    """Make an unknown of a class (or of a vertex used as one) with the modifiers that name something."""
    unknown = p.draft.fresh(head.text)
    if head.group:
        p.draft.constrain(unknown, head.text)
        p.groups[unknown] = head.group.iris
    elif _is_common(head) or p.asking:
        p.draft.relate(unknown, "", head.text)
    for atom in modifiers:
        if is_flag(p, atom):
            set_flag(p, unknown, atom)
        elif atom.lower in COUNTRIES_BY_DEMONYM and not (atom.value or atom.vertex and atom.vertex.score >= KNOWN):
            p.draft.relate(unknown, "", COUNTRIES_BY_DEMONYM[atom.lower])
        elif atom.vertex or atom.value:
            p.draft.relate(unknown, "", atom.text)
        elif atom.lower in COUNTRIES_BY_DEMONYM:
            p.draft.relate(unknown, "", COUNTRIES_BY_DEMONYM[atom.lower])
        elif atom.is_name and len(atom.text) > 3:
            p.draft.relate(unknown, "", atom.text)
    return Noun(unknown, head.text, head.is_plural, is_class=head.group is not None)


def common(p: Parse, name: Noun) -> Noun:
    """Make a common noun of a plural name: "four Olympic Games" are things of that name, or their number."""
    unknown = p.draft.fresh(name.end)
    p.draft.constrain(unknown, name.end)
    return Noun(unknown, name.head, plural=True, is_class=True)
