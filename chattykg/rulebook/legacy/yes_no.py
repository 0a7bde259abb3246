"""Yes-or-no questions."""

from __future__ import annotations

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.clauses import clause, clauses, complement
from chattykg.rulebook.legacy.closed_words import BE, HAVE
from chattykg.rulebook.legacy.equating import value_equated
from chattykg.rulebook.legacy.flags import flag_at
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.possession import have_noun
from chattykg.rulebook.legacy.prepositions import alternatives


def yes_no_question(p: Parse) -> None:
    """ "Is X a Y", "Did X direct Y", "Are there ..."."""
    reader = p.reader
    p.draft.shape = "boolean"
    word = reader.take().lower
    if reader.skip("there"):
        thing = noun(p)
        if thing is not None and thing.negative:
            p.draft.shape = "boolean"
        _more_clauses(p, thing)
        return
    negative = reader.skip("not", "n't")
    if word in BE and not negative and value_equated(p):
        return
    subject = _listed(p) or noun(p, after=word not in BE)
    if subject is None:
        return
    others = _co_subjects(p, subject)
    if word in BE or word in HAVE and reader.peek().is_participle:
        _is(p, subject, negative=negative)
    elif word in HAVE:
        have_object(p, subject)
    else:
        clauses(p, subject)
    for other in others:
        _same_of(p, subject, other)


def _listed(p: Parse) -> Noun | None:
    """Take the name before "one of" or "among", whatever else its words may name."""
    atom = p.reader.peek()
    listed = p.reader.at("among", "amongst", ahead=1) or p.reader.at("one", ahead=1) and p.reader.at("of", ahead=2)
    if not listed or not (atom.vertex or atom.value):
        return None
    return Noun(p.reader.take().text, named=True)


def _co_subjects(p: Parse, subject: Noun) -> list[Noun]:
    if not p.reader.at("and"):
        return []
    return alternatives(p, subject)


def _same_of(p: Parse, subject: Noun, other: Noun) -> None:
    """Say of the second subject what was said of the first."""
    for relation in list(p.draft.triples):
        if relation.subject == subject.end:
            p.draft.relate(other.end, relation.relation, relation.object)


def have_object(p: Parse, subject: Noun) -> None:
    """Read the object of "Has X a Y"."""
    thing = noun(p, after=False)
    if thing is not None:
        have_noun(p, subject, thing)


def _is(p: Parse, subject: Noun, *, negative: bool) -> None:
    """Read what is said of the subject of a yes-or-no question."""
    reader = p.reader
    if reader.done:
        return
    if reader.peek().is_verb and not reader.peek().is_name or reader.at("not") or flag_at(p):
        clauses(p, subject)
        return
    began = len(p.draft.triples)
    if complement(p, subject, negative=negative) and not is_unknown(subject.end) and len(p.draft.triples) == began:
        _typed(p, subject)
    _more_clauses(p, subject)


def _typed(p: Parse, subject: Noun) -> None:
    """ "Is X a protein": the class of a mention, as an unknown that can only be the mention."""
    if not p.draft.classes and p.draft.last_class:
        unknown = p.draft.fresh("one")
        p.draft.values.append((unknown, (subject.end,)))
        p.draft.classes.append((unknown, p.draft.last_class))


def read_statement(p: Parse) -> None:
    """ "whether X directed Y"."""
    p.draft.shape = "boolean"
    subject = noun(p)
    if subject is not None:
        clauses(p, subject)


def _more_clauses(p: Parse, subject: Noun | None) -> None:
    if subject is not None and not p.reader.done:
        clause(p, subject)
