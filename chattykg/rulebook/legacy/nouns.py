"""Noun groups: "the longest river in Europe", "Inception's director", "name and age of all singers"."""

from __future__ import annotations

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import BARE_NUMBER, DETERMINER, KINDS, NAMING, PREPOSITION
from chattykg.rulebook.legacy.determiners import aggregate_of, determiners, either
from chattykg.rulebook.legacy.parse import Noun, Parse, Quantity, Superlative
from chattykg.rulebook.legacy.quantities import comparison, date, number, superlative, unit
from chattykg.rulebook.legacy.resolving import common, describe, is_classy, is_kind, relate_head, resolve_run
from chattykg.rulebook.legacy.runs import take_run
from chattykg.rulebook.legacy.setting import may_be_setting

DEEPEST = 12
"""Noun groups within one another; beyond that a question is no question."""
_OF_A_RELATION = frozenset("date place year day time month country city state cause number name".split())
"""Heads that make one relation with the noun behind their "of" ("date of death")."""


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
    if found and may_be_setting(found, p.reader.atoms[began : p.reader.place][:3]):
        p.settings.append(found.end)
    if found and found.grouped and is_unknown(found.end):
        p.grouped.append(found.end)
    p.depth -= 1
    return found


def _group(p: Parse) -> Noun | None:
    reader = p.reader
    negative, grouped = determiners(p)
    quantity = comparison(reader)
    if quantity and unit(reader):
        return Noun(quantity.value, number=True, quantity=quantity)
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
            if unit(reader):
                return Noun(said, number=True, quantity=quantity)
    if reader.at("someone", "somebody", "something") and not quantity:
        return Noun(p.draft.fresh(reader.take().lower))
    aggregate = aggregate_of(p)
    determiners(p)
    listed = either(p)
    run = take_run(p)
    if not run:
        return _headless(quantity, best)
    found = _headed(p, run)
    counted = best is not None and best.count or quantity is not None and not quantity.date
    if found.named and (counted and found.end.lower().endswith("s") or best and is_kind(run[-1])):
        found = common(p, found)
    if listed and is_unknown(found.end):
        p.draft.relate_any(found.end, "", listed)
    found.negative, found.grouped, found.quantity = negative, grouped, quantity
    found.aggregate = found.aggregate or aggregate
    found.superlative = best or found.superlative
    return found


def _headless(quantity: Quantity | None, best: Superlative | None) -> Noun | None:
    """Make the noun of a group that is a number or a superlative alone."""
    if quantity:
        return Noun(quantity.value, number=True, quantity=quantity)
    if best and (best.adjective or best.count):
        return Noun("", superlative=best)
    return None


def _headed(p: Parse, run: list[Atom]) -> Noun:
    """Make the noun of a run: with its possessor, its of-chain, its modifiers."""
    reader = p.reader
    if reader.peek().kind == "possessive":
        reader.take()
        owner = resolve_run(p, run)
        return _owned(p, owner)
    heads = [run]
    if _is_relational(run):
        heads += _more_heads(p)
    if reader.at("of", "for") and _is_relational(run):
        if reader.at("of") or heads[1:] or run[-1].lower in NAMING or (run[-1].predicate and not run[-1].group):
            return _of(p, heads)
    elif reader.at("of") and not run[-1].is_name:
        return _of(p, heads)
    if len(heads) > 1:
        return _columns(p, heads, None)
    return resolve_run(p, run)


def _is_relational(run: list[Atom]) -> bool:
    head = run[-1]
    return not head.is_name and (head.predicate is not None or head.group is None or head.lower in NAMING)


def _more_heads(p: Parse) -> list[list[Atom]]:
    """Read ", age and country" after a first relational noun; nothing is taken unless all are relational."""
    reader = p.reader
    heads: list[list[Atom]] = []
    while True:
        began = reader.place
        joined = reader.skip(",", "and", "also", "as", "well", "or")
        reader.skip("the", "its", "their", "average", "maximum", "minimum")
        plain = reader.peek().predicate or reader.peek().is_nounish or not reader.peek().is_verb
        run = take_run(p) if joined and plain else []
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
        p.reader.skip("own")
        best = superlative(p.reader)
        p.owned = True
        run = take_run(p)
        p.owned = False
        if not run:
            return owner
        if run[-1].is_name and run[-1].capital:
            return Noun(run[-1].text, run[-1].text, named=True)
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
    if (p.is_numeric(head) or not (head.predicate or head.group)) and comparison(reader):
        reader.place = began
        return resolve_run(p, heads[0])
    asking, p.asking = p.asking, False
    base = noun(p)
    p.asking = asking
    if base is None or base.number:
        reader.place = began
        if base is not None and base.number:
            return resolve_run(p, heads[0])
        reader.take()
        return resolve_run(p, heads[0])
    base = _placed(p, base)
    first = heads[0]
    loose = is_unknown(base.end) and (base.end in p.draft.pending or not p.draft.is_tied(base.end))
    compound = (
        asking and head.lower not in KINDS or head.lower in _OF_A_RELATION and base is not None and not base.plural
    )
    if compound and loose and len(heads) == 1:
        p.draft.pending.pop(base.end, None)
        found = relate_head(p, first, None)
        found.head = p.draft.pending[found.end] = f"{found.head} of {base.head}"
        return found
    if head.lower in BARE_NUMBER and len(heads) == len(first) == 1 and (base.plural or not head.predicate):
        base.counted = True
        return base
    if head.lower in KINDS and len(heads) == 1 and not (head.predicate and base.named):
        return base
    if base.named and base.apposed and base.literal:
        bearer = p.draft.fresh("x")
        p.draft.relate(bearer, base.apposed, base.end)
        return _columns(p, heads, Noun(bearer))
    if len(heads) == 1 and base.named and (head.group and not head.predicate or base.apposed and is_classy(head)):
        found = describe(p, head, first[:-1])
        p.draft.relate(found.end, base.apposed or head.text, base.end)
        return found
    return _columns(p, heads, _together(p, base))


def _placed(p: Parse, base: Noun) -> Noun:
    """Read "at NAME" behind "of cardiology": a common noun that many things bear is told apart by its place."""
    reader = p.reader
    ahead = 1 + reader.at("the", ahead=1)
    common_name = base.named and base.end[:1].islower() and reader.at("in", "at")
    if not common_name or not reader.peek(ahead).is_name or not reader.peek(ahead).capital:
        return base
    preposition, unknown = reader.take().lower, p.draft.fresh("one")
    place = noun(p, after=False)
    p.draft.values.append((unknown, (base.end,)))
    if place is not None:
        p.draft.relate(unknown, preposition, place.end)
    return Noun(unknown, base.head)


def _together(p: Parse, base: Noun) -> Noun:
    """Read "of A, B and C": one unknown that is any of them ("the capitals of A and B")."""
    reader = p.reader
    names = [base]
    while (
        base.named and reader.at(",", "and", "or") and reader.peek(1 + reader.at("and", "or", "the", ahead=1)).is_name
    ):
        reader.skip(",", "and", "or", "the")
        following = noun(p, after=False)
        if following is None or not following.named:
            break
        names.append(following)
    if len(names) == 1:
        return base
    unknown = p.draft.fresh("one")
    p.draft.values.append((unknown, tuple(name.end for name in names)))
    return Noun(unknown, named=True, plural=True)


def _columns(p: Parse, heads: list[list[Atom]], base: Noun | None) -> Noun:
    """Make one relational noun, or a table of several, over a common base."""
    ends: list[Noun] = []
    for run in heads:
        ends.append(relate_head(p, run, base))
    first = ends[0]
    if len(ends) > 1:
        columns = [end.end for end in ends]
        named = [run[-1].lower in NAMING and base is None for run in heads]
        if any(named) and not all(named):
            columns = [c for c in columns]
        first.columns = columns
    return first


def rank(p: Parse, found: Noun) -> None:
    """Apply a noun's superlative: the order by the quantity that its adjective measures."""
    best = found.superlative
    if best is None or not is_unknown(found.end):
        return
    if best.adjective and p.is_role(found.end):
        p.open_base(found.end)
    pending = found.end in p.draft.pending and not found.is_class
    if found.literal or pending or best.count or not best.adjective:
        return
    found.superlative = None
    order_by(p, found.end, best)


def order_by(p: Parse, unknown: str, best: Superlative) -> None:
    """Order by the quantity of an adjective ("longest" of rivers: their length)."""
    if not best.adjective:
        return
    phrase, sign = p.quantity_noun(best.adjective, unknown)
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
        or atom.lower in ("no", "more", "most", "least", "fewer", "something", "someone", "somebody")
    ):
        return atom.lower not in PREPOSITION
    return atom.lower in ("at", "over") and p.reader.at("least", "most", ahead=1)
