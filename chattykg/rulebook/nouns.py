"""Noun groups: "the longest river in Europe", "Inception's director", "name and age of all singers"."""

from __future__ import annotations

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.atoms import Atom
from chattykg.rulebook.closed_words import BARE_NUMBER, DETERMINER, GENERIC, KINDS, NAMING, PREPOSITION
from chattykg.rulebook.demonyms import COUNTRIES
from chattykg.rulebook.parse import Noun, Parse, Quantity, Superlative
from chattykg.rulebook.quantities import comparison, date, number, superlative

_AGGREGATES = {"average": "avg", "mean": "avg", "avg": "avg", "sum": "sum", "overall": "sum", "combined": "sum"}
_EXTREMES = {"maximum": "max", "minimum": "min", "max": "max", "min": "min", "highest": "max", "lowest": "min"}
DEEPEST = 12
"""Noun groups within one another; beyond that a question is no question."""


def noun(p: Parse, *, after: bool = True) -> Noun | None:
    """Read one noun group, with what follows it if ``after``; None (cursor unmoved) where none begins."""
    if p.depth >= DEEPEST:
        return None
    p.depth += 1
    began = p.reader.place
    found = _group(p)
    if found is None:
        p.reader.place = began
    elif after and not found.number:
        p.after_noun(p, found)
    if found and found.superlative and not found.number:
        rank(p, found)
    p.depth -= 1
    return found


def _group(p: Parse) -> Noun | None:
    reader = p.reader
    negative, grouped = _determiners(p)
    quantity = comparison(reader)
    if quantity is None:
        said, size = date(reader)
        if size and not reader.peek(size).is_content:
            reader.place += size
            return Noun(said, number=True, quantity=Quantity("=", said, date=True))
    best = superlative(reader) if quantity is None else None
    if quantity is None and best is None:
        said, size = number(reader)
        if size:
            reader.place += size
            quantity = Quantity("=", said)
    aggregate = _aggregate(p)
    _determiners(p)
    run = _run(p)
    if not run:
        if quantity:
            return Noun(quantity.value, number=True, quantity=quantity)
        if best and (best.adjective or best.count):
            return Noun("", superlative=best)
        return None
    found = _headed(p, run)
    found.negative, found.grouped, found.quantity = negative, grouped, quantity
    found.aggregate = found.aggregate or aggregate
    found.superlative = best
    return found


def _determiners(p: Parse) -> tuple[bool, bool]:
    negative = grouped = False
    while (
        p.reader.peek().lower in DETERMINER
        or p.reader.at("no", "of", "only", "many")
        and p.reader.peek(1).kind != "end"
    ):
        if p.reader.at("of") and not p.reader.at("the", "all", "these", "those", "them", ahead=1):
            break
        negative = negative or p.reader.at("no")
        grouped = grouped or p.reader.at("each", "every")
        p.reader.take()
    return negative, grouped


def _aggregate(p: Parse) -> str:
    reader = p.reader
    if reader.at("total") and reader.peek(1).is_content and not reader.at("number", "count", ahead=1):
        reader.take()
        return "sum"
    if reader.at("total", "overall") and reader.at("number", "count", ahead=1):
        reader.take()
        return ""
    if reader.peek().lower in _AGGREGATES and (reader.peek(1).is_content or reader.at("of", ahead=1)):
        kind = _AGGREGATES[reader.take().lower]
        reader.skip("of", "the", "all")
        return kind
    return ""


def _run(p: Parse) -> list[Atom]:
    """Take the content atoms of one group, up to the verb or whatever ends it."""
    reader, run = p.reader, []
    while reader.peek().is_content or (
        run and reader.peek().kind == "number" and len(run[-1].lower) > 1 and not run[-1].is_plural
    ):
        atom = reader.peek()
        if run and _ends_run(p, run, atom):
            break
        run.append(reader.take())
    return run


def _ends_run(p: Parse, run: list[Atom], atom: Atom) -> bool:
    last, following = run[-1], p.reader.peek(1)
    if atom.is_name and atom.capital and (last.is_plural and not last.is_name):
        return True
    if atom.is_name or not atom.is_verb:
        return False
    if atom.is_participle:
        return not (following.is_content and not following.is_name and atom.predicate and following.predicate)
    if (atom.group or atom.predicate) and (atom.is_nounish or not last.is_plural) and not last.is_name:
        return False
    if last.is_plural or last.lower in ("who", "people"):
        return not (atom.lower.endswith("s") and atom.is_nounish)
    if atom.lower.endswith("s") and not atom.is_nounish:
        return True
    return (
        last.is_name and not atom.is_nounish and (following.kind == "end" or following.is_mark or following.is_function)
    )


def _headed(p: Parse, run: list[Atom]) -> Noun:
    """Make the noun of a run: with its possessor, its of-chain, its modifiers."""
    reader = p.reader
    if reader.peek().kind == "possessive":
        reader.take()
        owner = _resolve(p, run)
        return _owned(p, owner)
    heads = [run]
    if _is_relational(run):
        heads += _more_heads(p)
    if reader.at("of", "for") and _is_relational(run):
        if reader.at("of") or heads[1:] or (run[-1].predicate and not run[-1].group):
            return _of(p, heads)
    elif reader.at("of") and not run[-1].is_name:
        return _of(p, heads)
    if len(heads) > 1:
        return _columns(p, heads, None)
    return _resolve(p, run)


def _is_relational(run: list[Atom]) -> bool:
    head = run[-1]
    return not head.is_name and (head.predicate is not None or head.group is None or head.lower in NAMING)


def _more_heads(p: Parse) -> list[list[Atom]]:
    """Read ", age and country" after a first relational noun; nothing is taken unless all are relational."""
    reader, heads = p.reader, []
    while True:
        began = reader.place
        joined = reader.skip(",", "and", "also", "as", "well", "or")
        reader.skip("the", "its", "their", "average", "maximum", "minimum")
        run = _run(p) if joined and not reader.peek().is_verb or joined and reader.peek().predicate else []
        if (
            not run
            or not _is_relational(run)
            or run[-1].is_name
            or any(a.is_name for a in run)
            or reader.peek().kind == "possessive"
        ):
            reader.place = began
            return heads
        heads.append(run)


def _owned(p: Parse, owner: Noun) -> Noun:
    """Read what stands behind 's: a chain of relational nouns."""
    while True:
        best = superlative(p.reader)
        run = _run(p)
        if not run:
            return owner
        heads = [run, *(_more_heads(p) if p.reader.peek().lower in (",", "and") else [])]
        found = _columns(p, heads, owner)
        found.superlative = best
        if p.reader.peek().kind != "possessive":
            if p.reader.at("of") and p.reader.peek(1).is_content:
                return found
            return found
        p.reader.take()
        owner = found


def _of(p: Parse, heads: list[list[Atom]]) -> Noun:
    """Read "of NOUN" after relational heads."""
    reader = p.reader
    began = reader.place
    reader.take()
    head = heads[0][-1]
    base = noun(p)
    if base is None or base.number:
        reader.place = began
        if base is not None and base.number:
            return _resolve(p, heads[0])
        reader.take()
        return _resolve(p, heads[0])
    first = heads[0]
    if head.lower in BARE_NUMBER and len(heads) == 1 and not head.predicate:
        base.counted = True
        return base
    if head.lower in BARE_NUMBER and len(heads) == 1 and base.plural:
        base.counted = True
        return base
    if head.lower in KINDS and len(heads) == 1 and not (head.predicate and base.named):
        return base
    if len(first) == 1 and len(heads) == 1 and head.group and not head.predicate and base.named:
        found = _resolve(p, first)
        p.draft.relate(found.end, head.text, base.end)
        return found
    return _columns(p, heads, base)


def _columns(p: Parse, heads: list[list[Atom]], base: Noun | None) -> Noun:
    """Make one relational noun, or a table of several, over a common base."""
    ends: list[Noun] = []
    for run in heads:
        ends.append(_relational(p, run, base))
    first = ends[0]
    if len(ends) > 1:
        columns = [end.end for end in ends]
        named = [run[-1].lower in NAMING and base is None for run in heads]
        if any(named) and not all(named):
            columns = [c for c in columns]
        first.columns = columns
    return first


def _relational(p: Parse, run: list[Atom], base: Noun | None) -> Noun:
    """Relate a relational noun to its base (or leave it pending)."""
    head = run[-1]
    phrase = " ".join(atom.text for atom in run if atom.lower not in _AGGREGATES)
    if base is not None and head.lower in NAMING and len(run) == 1 and not base.named and is_unknown(base.end):
        return Noun(base.end, base.head, base.plural, is_class=base.is_class)
    if (
        base is not None
        and len(run) == 1
        and head.lower in ("information", "info", "details", "data", "record", "records")
    ):
        return Noun(base.end, base.head, base.plural, is_class=base.is_class, named=base.named)
    unknown = p.draft.fresh(head.text)
    found = Noun(unknown, phrase, run[-1].is_plural, literal=p.is_numeric(head), is_class=bool(head.group))
    if base is None:
        p.draft.pending[unknown] = phrase
    else:
        p.draft.settle(base.end, unknown) if False else None
        p.draft.relate(base.end, phrase, unknown)
    if head.group and not head.predicate:
        p.draft.constrain(unknown, head.text)
    return found


def _resolve(p: Parse, run: list[Atom]) -> Noun:
    """Make the noun of a run that has neither possessor nor of-chain."""
    head, modifiers = run[-1], run[:-1]
    names = [atom for atom in run if atom.is_name]
    if head.is_name and not _is_common(head):
        if (
            modifiers
            and modifiers[-1].predicate
            and not modifiers[-1].group
            and len(run) == 2
            and p.reader.done
            and p.reader.place == 2
        ):
            return _relational(p, modifiers, Noun(head.text, named=True))
        return Noun(head.text, head.text, named=True)
    if head.kind == "number" and names:
        return Noun(names[-1].text, named=True)
    if not head.group and (head.predicate or not head.is_name) and names and not head.is_plural | bool(head.vertex):
        owner = names[-1]
        return _relational(p, [a for a in run if a is not owner], Noun(owner.text, named=True))
    if not head.group and head.predicate and modifiers and modifiers[-1].group:
        kind = modifiers[-1]
        base = _described(p, kind, modifiers[:-1])
        if head.lower in NAMING:
            return base
        return _relational(p, [head], base)
    if head.predicate and not head.group and names:
        return _relational(p, [head], Noun(names[-1].text, named=True))
    if head.group or _is_common(head) or head.lower in GENERIC:
        return _described(p, head, modifiers)
    if head.predicate or not names:
        found = _relational(p, run, None)
        if not head.predicate:
            p.draft.pending.pop(found.end)
        return found
    return _described(p, head, modifiers)


def _is_common(head: Atom) -> bool:
    """Tell whether a name is used as a common noun ("swimmers", where the graph has a vertex Swimmer)."""
    return head.is_plural and not head.capital and head.vertex is not None and head.size == 1


def _described(p: Parse, head: Atom, modifiers: list[Atom]) -> Noun:
    """Make an unknown of a class (or of a vertex used as one) with the modifiers that name something."""
    unknown = p.draft.fresh(head.text)
    if head.group:
        p.draft.constrain(unknown, head.text)
    elif _is_common(head):
        p.draft.relate(unknown, "", head.text)
    for atom in modifiers:
        if atom.is_name or atom.vertex or atom.value:
            known = atom.vertex or atom.value
            p.draft.relate(unknown, "", atom.text if known else COUNTRIES.get(atom.lower, atom.text).title())
    return Noun(unknown, head.text, head.is_plural, is_class=head.group is not None)


def rank(p: Parse, found: Noun) -> None:
    """Apply a noun's superlative: the order by the quantity that its adjective measures."""
    best = found.superlative
    if best is None or not is_unknown(found.end):
        return
    found.superlative = None
    if found.literal or (found.end in p.draft.pending and not found.is_class):
        found.superlative = best
        return
    order_by(p, found.end, best)


def order_by(p: Parse, unknown: str, best: Superlative) -> None:
    """Order by the quantity of an adjective ("longest" of rivers: their length)."""
    if not best.adjective:
        return
    phrase, sign = p.quantity_noun(best.adjective)
    by = p.draft.fresh(phrase)
    p.draft.relate(unknown, phrase, by)
    descending = (sign > 0) != best.least
    p.draft.order = Order(by, descending, limit=best.limit, offset=best.offset)


def starts_noun(p: Parse) -> bool:
    """Tell whether a noun group may begin at the cursor."""
    atom = p.reader.peek()
    if (
        atom.lower in DETERMINER
        or atom.is_content
        or atom.kind == "number"
        or atom.lower in ("no", "more", "most", "least", "fewer")
    ):
        return atom.lower not in PREPOSITION
    return atom.lower in ("at", "over") and p.reader.at("least", "most", ahead=1)
