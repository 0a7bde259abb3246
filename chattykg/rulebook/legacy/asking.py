"""What stands behind the thing asked for: "did X direct", "is the mayor of X", "have the most films"."""

from __future__ import annotations

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.choices import described_choice, superlative_at
from chattykg.rulebook.legacy.clauses import clauses, complement
from chattykg.rulebook.legacy.closed_words import ADVERB, AUXILIARY, BE, DO, HAVE, MODAL, PREPOSITION
from chattykg.rulebook.legacy.comparing import graded_at
from chattykg.rulebook.legacy.flags import flag_at
from chattykg.rulebook.legacy.gender import of_gender
from chattykg.rulebook.legacy.happening import ranked_in_time
from chattykg.rulebook.legacy.inverted import bound, inverted, relate_subjects
from chattykg.rulebook.legacy.light_verbs import in_capacity
from chattykg.rulebook.legacy.nouns import noun, starts_noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.prepositions import alternatives, relate_all, stranded
from chattykg.rulebook.legacy.quantities import superlative
from chattykg.rulebook.legacy.roles import ends_stranded, in_role


def ask(p: Parse, thing: Noun) -> None:
    """Make a noun what is asked for."""
    p.draft.target = thing.end
    p.draft.targets = list(thing.columns) or p.draft.targets
    if thing.columns:
        p.draft.target = thing.columns[0]
    if p.draft.shape == "list":
        p.draft.shape = "table" if len(thing.columns) > 1 else "list"
    if thing.counted:
        p.draft.shape = "count"
    if thing.aggregate:
        p.draft.aggregate, p.draft.shape = thing.aggregate, "number"


def read_rest(p: Parse, target: Noun, *, wh: str = "", preposition: str = "") -> None:
    """Read what stands behind the thing asked for."""
    reader = p.reader
    while reader.peek().lower in ADVERB or reader.at(","):
        reader.take()
    if reader.done or reader.at("sorted", "ordered", "ranked", "arranged", "sort", "order"):
        return
    word = reader.peek().lower
    if in_capacity(p, target):
        return
    if word in DO or word in MODAL:
        inverted(p, target, wh, preposition)
    elif word in BE:
        _with_be(p, target, wh, preposition)
    elif word in HAVE:
        _with_have(p, target, wh, preposition)
    elif reader.peek().is_content or reader.at("not", "never"):
        embedded = reader.peek().is_name and reader.peek(1).lower in AUXILIARY
        if reader.peek().is_verb or wh and not embedded:
            clauses(p, target)
        else:
            inverted(p, target, wh, preposition)
    elif word in PREPOSITION and complement(p, target) and wh:
        read_rest(p, target, wh=wh)


def _with_be(p: Parse, target: Noun, wh: str, preposition: str) -> None:
    reader = p.reader
    began = reader.place
    reader.skip(*BE)
    negative = reader.skip("not")
    if reader.skip("there"):
        reader.skip_sequence("in", "total")
        reader.skip("total", *ADVERB) if reader.peek(1).lower in PREPOSITION else None
        complement(p, target) if reader.peek().lower in PREPOSITION else clauses(p, target) if not reader.done else None
        return
    if described_choice(p, target) or _ranked_by_name(p, target) or in_capacity(p, target):
        return
    if of_gender(p, target, negative=negative):
        if p.is_role(target.end):
            p.open_base(target.end)
        return
    said = reader.peek()
    described = not wh or wh in ("who", "what", "which")
    if negative or described and _describes(p, said):
        reader.place = began
        clauses(p, target)
        return
    if not starts_noun(p):
        reader.place = began
        clauses(p, target)
        return
    p.inverted = wh in ("where", "when") or bool(preposition) or ends_stranded(p)
    subject = noun(p)
    p.inverted = False
    if subject is None:
        reader.place = began
        clauses(p, target)
        return
    if in_role(p, target, subject):
        return
    _equal(p, target, subject, wh, preposition, negative=negative)


def _ranked_by_name(p: Parse, target: Noun) -> bool:
    """Read "first awarded earliest", where the graph has a predicate of the very words that the order is by."""
    began, atom = p.reader.place, p.reader.peek()
    if atom.size > 1 and atom.predicate and not atom.is_name and atom.lower.endswith("ed"):
        p.reader.take()
        if ranked_in_time(p, target, atom.text):
            return True
    p.reader.place = began
    return False


def _describes(p: Parse, said: Atom) -> bool:
    """Tell whether what stands behind "is" describes the thing asked for (participle, preposition, comparison)."""
    if said.is_participle and not said.is_name or flag_at(p):
        return True
    if said.lower in PREPOSITION and not p.reader.at("over", "about") or graded_at(p):
        return True
    began = p.reader.place
    p.reader.skip("the")
    best = superlative(p.reader)
    alone = best is not None and not p.reader.peek().is_content
    p.reader.place = began
    return alone


def _equal(p: Parse, target: Noun, subject: Noun, wh: str, preposition: str, *, negative: bool) -> None:
    """ "Who is X ...": behind the noun stands a participle, a preposition, or nothing."""
    reader = p.reader
    while reader.peek().lower in ADVERB:
        reader.take()
    if reader.peek().is_content and (reader.peek().is_verb or reader.peek().predicate) and not reader.peek().is_name:
        relate_subjects(p, subject, target, wh, preposition, negative=negative or subject.negative)
        return
    if reader.peek().lower in BE and reader.peek(1).is_participle:
        reader.take()
        relate_subjects(p, subject, target, wh, preposition, negative=negative or subject.negative)
        return
    if stranded(p) or preposition:
        stranded_one = reader.take().lower if stranded(p) else preposition
        bound(p, [subject], target, stranded_one, negative=negative)
        return
    if wh in ("where", "when") and (subject.named or subject.is_class):
        phrase = "location" if wh == "where" else "date"
        p.draft.relate(subject.end, phrase, target.end)
        return
    if not is_unknown(subject.end):
        if target.is_class:
            relate_all(p, target, "", subject)
        else:
            _of_mention(p, target, subject)
        return
    if not wh and target.head:
        if target.literal and not subject.literal and p.draft.settle(target.end, subject.end):
            return
        p.draft.equate(subject.end, target.end)
        return
    p.draft.equate(target.end, subject.end)
    ask(p, subject)
    standing_superlative(p, subject)


def _of_mention(p: Parse, target: Noun, subject: Noun) -> None:
    if subject.named and not p.groups.get(subject.end) and p.is_role(target.end):
        p.open_base(target.end)
        relate_all(p, target, "", subject)
        return
    if target.head:
        p.draft.pending.pop(target.end, "")
        p.draft.classes = [(u, name) for u, name in p.draft.classes if u != target.end]
        p.draft.relate(subject.end, target.head, target.end)
    else:
        for thing in (subject, *alternatives(p, subject)):
            role = thing.end[:1].islower()
            p.draft.relate(thing.end, "" if role else "description", target.end)


def standing_superlative(p: Parse, subject: Noun) -> None:
    """ "What is the highest rating": an extreme over all."""
    best = subject.superlative
    if best and (subject.literal or subject.end in p.draft.pending):
        p.draft.aggregate = "max" if best.descending != best.least else "min"
        p.draft.shape = "number"
        if best.offset or best.limit > 1:
            p.draft.aggregate, p.draft.shape = "", "list"
            p.draft.order = Order(subject.end, best.descending, limit=best.limit, offset=best.offset)


def _with_have(p: Parse, target: Noun, wh: str, preposition: str) -> None:
    """ "Which film has ...", "how many films has X directed"."""
    reader = p.reader
    began = reader.place
    reader.take()
    following = reader.peek()
    if (
        following.is_participle
        or following.lower in ("been", "not", "no", "never", "nobody", "none")
        or not starts_noun(p)
        or superlative_at(p)
    ):
        reader.place = began
        clauses(p, target)
        return
    mark = len(p.draft.triples), len(p.draft.classes), dict(p.draft.pending)
    subject = noun(p, after=False)
    if subject and (reader.peek().is_participle or reader.at("been")):
        relate_subjects(p, subject, target, wh, preposition)
        return
    relational = p.draft.shape == "count" or target.head and not target.is_class
    if subject and subject.named and relational and reader.done:
        bound(p, [subject], target, "", negative=False)
        return
    del p.draft.triples[mark[0] :], p.draft.classes[mark[1] :]
    p.draft.pending = mark[2]
    reader.place = began
    clauses(p, target)
