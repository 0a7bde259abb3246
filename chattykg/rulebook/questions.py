"""Whole questions: what is asked for, and in which shape."""

from __future__ import annotations

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.atoms import Atom
from chattykg.rulebook.clauses import (
    alternatives,
    clause,
    clauses,
    complement,
    graded_at,
    have_noun,
    own,
    stranded,
    timed,
)  # fmt: skip
from chattykg.rulebook.closed_words import ADVERB, AUXILIARY, BE, COMMAND, DO, HAVE, MODAL, POLITE, PREPOSITION, WH
from chattykg.rulebook.nouns import noun, order_by, starts_noun
from chattykg.rulebook.parse import Noun, Parse
from chattykg.rulebook.quantities import moment, superlative

_HOW_ADJECTIVES = {"old": "age", "tall": "height", "high": "height", "long": "length", "big": "size", "large": "size",
                   "deep": "depth", "wide": "width", "heavy": "weight", "fast": "speed", "far": "distance",
                   "expensive": "price", "thick": "thickness", "hot": "temperature", "rich": "net worth"}  # fmt: skip
_PREAMBLES = (
    ("can", "you"), ("could", "you"), ("would", "you"), ("will", "you"), ("i", "want", "to", "know"), ("i", "need"),
    ("i", "would", "like", "to", "know"), ("i", "would", "like"), ("i", "want", "to", "see"), ("i", "want"),
    ("do", "you", "know"), ("i", "am", "looking", "for"), ("let", "me", "know"), ("i", "wonder"), ("help", "me"),
    ("i'd", "like", "to", "know"), ("i", "am", "interested", "in"), ("what", "about"), ("how", "about"),
    ("do", "we", "have"), ("do", "you", "have"),
)  # fmt: skip


def understand(p: Parse) -> None:
    """Read the whole question into the draft."""
    reader = p.reader
    command = _preamble(p)
    atom = reader.peek()
    if atom.lower in PREPOSITION and reader.at("which", "what", "whose", "whom", "how", ahead=1):
        _prepositional(p)
    elif atom.lower in WH and atom.lower not in ("that",):
        _wh(p)
    elif atom.lower in AUXILIARY and not command:
        _boolean(p)
    elif command and reader.at("if", "whether"):
        reader.take()
        _statement(p)
    elif reader.at("count") or _counting(p):
        reader.skip("count", "calculate", "the", "number", "of", "all")
        _imperative(p, counted=True)
    else:
        _imperative(p)
    _tail(p)


def _counting(p: Parse) -> bool:
    return p.reader.peek().lower in ("number", "count") and p.reader.at("of", ahead=1)


def _preamble(p: Parse) -> bool:
    """Move past politeness and commands; tell whether there was a command."""
    reader, command = p.reader, False
    while True:
        began = reader.place
        reader.skip(*POLITE, ",", "-", ":", ".")
        for words in _PREAMBLES:
            command = reader.skip_sequence(*words) or command
        verbal = reader.peek().lower in COMMAND and not reader.at("count") and reader.place + 1 < len(reader.atoms)
        if verbal and not (reader.peek().is_name or reader.peek(1).lower in BE | {"of", "'s"}):
            reader.take()
            command = True
            reader.skip("me", "us", "out", "up", "just", "only", "also", "please", "for", "to", "and")
        if reader.place == began:
            return command


def _prepositional(p: Parse) -> None:
    """ "In which city was X born": the preposition belongs to the verb."""
    reader = p.reader
    preposition = reader.take().lower
    if reader.at("how"):
        _wh(p)
        return
    reader.take()
    thing = noun(p, after=False)
    if thing is None:
        thing = Noun(p.draft.fresh("answer"))
    _ask(p, thing)
    _rest(p, thing, preposition=preposition)


def _ask(p: Parse, thing: Noun) -> None:
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


def _wh(p: Parse) -> None:
    reader = p.reader
    word = reader.take().lower
    if word == "how":
        _how(p)
        return
    if word in ("when", "where"):
        thing = Noun(p.draft.fresh("date" if word == "when" else "place"))
        p.draft.shape = "date" if word == "when" else "list"
        p.draft.target = thing.end
        _rest(p, thing, wh=word)
        return
    if word == "whose":
        _whose(p)
        return
    reader.skip("else", "all", "exactly")
    if reader.at("of") and word in ("which", "who", "what"):
        _which_of(p)
        return
    thing = None
    if starts_noun(p) and word in ("which", "what") or superlative_at(p):
        thing = noun(p)
    if thing is None:
        thing = Noun(p.draft.fresh("who" if word in ("who", "whom") else "answer"))
        _ask(p, thing)
        _rest(p, thing, wh=word)
        return
    _ask(p, thing)
    _rest(p, thing)


def superlative_at(p: Parse) -> bool:
    """Tell whether a superlative stands at the cursor."""
    began = p.reader.place
    found = superlative(p.reader)
    p.reader.place = began
    return found is not None


def _which_of(p: Parse) -> None:
    """ "Which of A, B and C ...": the listed mentions bound the unknown."""
    p.reader.take()
    p.reader.skip("these", "those", "the", "following", ":")
    first = noun(p)
    if first is None:
        return
    if first.named:
        names = [first, *alternatives(p, first)]
        unknown = p.draft.fresh("one")
        p.draft.values.append((unknown, tuple(n.end for n in names)))
        first = Noun(unknown)
    p.reader.skip(",")
    _ask(p, first)
    _rest(p, first)


def _whose(p: Parse) -> None:
    thing = noun(p, after=False)
    owner = Noun(p.draft.fresh("owner"))
    _ask(p, owner)
    if thing is not None:
        own(p, owner, thing)
        clauses(p, thing)


def _how(p: Parse) -> None:
    reader = p.reader
    if reader.at("many", "often") or reader.at("much") and reader.peek(1).is_content:
        _how_many(p)
        return
    p.draft.shape = "number"
    adjective = reader.take().lower if reader.peek().lower not in AUXILIARY else ""
    value = Noun(p.draft.fresh(_HOW_ADJECTIVES.get(adjective, adjective or "answer")), literal=True)
    p.draft.target = value.end
    if adjective == "much":
        _how_much(p, value)
        return
    if not adjective:
        p.draft.shape = "list"
        _rest(p, value)
        return
    phrase = (
        p.quantity_noun(adjective)[0]
        if p.quantity_noun(adjective)[1] > 0
        else _HOW_ADJECTIVES.get(adjective, adjective)
    )
    reader.skip(*AUXILIARY)
    subject = noun(p)
    if subject is None:
        return
    verb = reader.take().text if reader.peek().is_verb else ""
    if verb and adjective in ("long", "far") and verb not in ("take",):
        phrase = f"{verb} {phrase}"
    p.draft.relate(subject.end, phrase, value.end)


def _how_much(p: Parse, value: Noun) -> None:
    """ "How much does X cost / weigh", "how much is X"."""
    reader = p.reader
    reader.skip(*AUXILIARY)
    subject = noun(p)
    if subject is None:
        return
    verb = reader.take().text if reader.peek().is_content else "price"
    if stranded(p):
        reader.take()
    p.draft.relate(subject.end, verb, value.end)


def _how_many(p: Parse) -> None:
    reader = p.reader
    p.draft.shape = "count"
    much = reader.take().lower
    if much == "often":
        thing = Noun(p.draft.fresh("time"))
    else:
        reader.skip("of", "different", "distinct", "total", "the", "other")
        thing = noun(p) or Noun(p.draft.fresh("one"))
    if thing.named and reader.peek().is_content is False and is_unknown(thing.end) is False:
        unknown = p.draft.fresh("one")
        p.draft.relate(unknown, "", thing.end)
        thing = Noun(unknown)
    p.draft.target = thing.end
    if thing.end in p.draft.pending and reader.at("in", "on") and reader.at("the", ahead=1):
        pass
    p.draft.shape = "count"
    _rest(p, thing)


def _rest(p: Parse, target: Noun, *, wh: str = "", preposition: str = "") -> None:
    """Read what stands behind the thing asked for."""
    reader = p.reader
    while reader.peek().lower in ADVERB or reader.at(","):
        reader.take()
    if reader.done:
        return
    word = reader.peek().lower
    if word in DO or word in MODAL:
        _inverted(p, target, wh, preposition)
    elif word in BE:
        _with_be(p, target, wh, preposition)
    elif word in HAVE:
        _with_have(p, target, wh, preposition)
    elif reader.peek().is_content or reader.at("not", "never"):
        if reader.peek().is_verb or wh:
            clauses(p, target)
        else:
            _inverted(p, target, wh, preposition)
    elif word in PREPOSITION:
        complement(p, target)


def _inverted(p: Parse, target: Noun, wh: str, preposition: str) -> None:
    """ "did X direct": the auxiliary, a subject, a verb; the thing asked for is the object."""
    reader = p.reader
    negative = False
    while reader.peek().lower in AUXILIARY or reader.at("not", "n't", "you", "i", "we"):
        negative = negative or reader.at("not")
        reader.take()
    subject = noun(p)
    if subject is None:
        clauses(p, target)
        return
    _all_of(p, subject, target, wh, preposition, negative=negative)


def _all_of(p: Parse, subject: Noun, target: Noun, wh: str, preposition: str, *, negative: bool = False) -> None:
    """Relate one or several subjects to the thing asked for by the verb that follows."""
    reader = p.reader
    subjects = [subject]
    if reader.skip_sequence("as", "well", "as"):
        other = noun(p, after=False)
        subjects += [other] if other else []
    subjects += alternatives(p, subject)
    while reader.peek().lower in ADVERB or reader.at("not", "both") or reader.peek().lower in BE:
        negative = negative or reader.at("not")
        reader.take()
    verb = _verb(p)
    phrase = " ".join(part for part in (verb, preposition) if part)
    if wh == "where" and not verb:
        phrase = "location"
    if verb.lower() in ("have", "has", "had", "get"):
        phrase = ""
    _bound(p, subjects, target, phrase, negative=negative)


def _verb(p: Parse) -> str:
    """Take the verb and a stranded preposition behind it."""
    reader = p.reader
    verb = ""
    if reader.peek().lower in HAVE or reader.peek().is_content:
        verb = reader.take().text
    if reader.peek().is_content and verb.lower() in ("get", "become", "go"):
        verb += " " + reader.take().text
    if reader.peek().lower in PREPOSITION and (stranded(p) or not starts_after(p)):
        verb += " " + reader.take().lower
    return verb.strip()


def starts_after(p: Parse) -> bool:
    """Tell whether a noun begins behind the preposition at the cursor."""
    following = p.reader.peek(1)
    return (
        following.is_content or following.kind == "number" or following.lower in ("the", "a", "an", "his", "her", "its")
    )


def _bound(p: Parse, subjects: list[Noun], target: Noun, phrase: str, *, negative: bool) -> None:
    pending = p.draft.pending.pop(target.end, "")
    said = (
        pending
        if not phrase
        else f"{phrase} {pending}".strip()
        if pending and pending.lower() != phrase.lower()
        else phrase
    )
    if not said and target.head and not target.is_class:
        said = target.head
    for subject in subjects:
        p.draft.relate(subject.end, said or target.head, target.end, negative=negative)
    _arguments(p, subjects[0], said)


def _arguments(p: Parse, subject: Noun, verb: str) -> None:
    """Read further arguments behind an inverted verb: dates bind the subject or the thing asked for."""
    reader = p.reader
    while not reader.done:
        began = reader.place
        when = moment(reader) if reader.peek().lower in PREPOSITION else None
        if when:
            timed(
                p, p.draft.target if p.draft.shape != "date" and is_unknown(p.draft.target) else subject.end, "", when
            )
            continue
        if reader.peek().lower in PREPOSITION and starts_after(p):
            preposition = reader.take().lower
            thing = noun(p)
            if thing and p.draft.shape not in ("date", "number") and is_unknown(p.draft.target):
                p.draft.relate(p.draft.target, preposition, thing.end)
                continue
        elif starts_noun(p) and noun(p, after=False):
            continue
        if reader.place == began:
            return


def _with_be(p: Parse, target: Noun, wh: str, preposition: str) -> None:
    reader = p.reader
    began = reader.place
    reader.skip(*BE)
    negative = reader.skip("not")
    if reader.skip("there"):
        reader.skip("in", "total") if reader.at_sequence("in", "total") else None
        complement(p, target) if reader.peek().lower in PREPOSITION else clauses(p, target) if not reader.done else None
        return
    said = reader.peek()
    described = not wh or wh in ("who", "what", "which")
    if described and _describes(p, said):
        reader.place = began
        clauses(p, target)
        return
    if not starts_noun(p):
        reader.place = began
        clauses(p, target)
        return
    subject = noun(p)
    if subject is None:
        reader.place = began
        clauses(p, target)
        return
    _equal(p, target, subject, wh, preposition, negative=negative)


def _describes(p: Parse, said: Atom) -> bool:
    """Tell whether what stands behind "is" describes the thing asked for (participle, preposition, comparison)."""
    if said.is_participle and not said.is_name:
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
        _all_of(p, subject, target, wh, preposition, negative=negative)
        return
    if reader.peek().lower in BE and reader.peek(1).is_participle:
        reader.take()
        _all_of(p, subject, target, wh, preposition, negative=negative)
        return
    if stranded(p) or preposition:
        stranded_one = reader.take().lower if stranded(p) else preposition
        _bound(p, [subject], target, stranded_one, negative=negative)
        return
    if wh in ("where", "when") and (subject.named or subject.is_class):
        phrase = "location" if wh == "where" else "date"
        p.draft.relate(subject.end, phrase, target.end)
        return
    if not is_unknown(subject.end):
        _of_mention(p, target, subject)
        return
    if not wh and target.head:
        p.draft.equate(subject.end, target.end)
        return
    p.draft.equate(target.end, subject.end)
    _ask(p, subject)
    _standing_superlative(p, subject)


def _of_mention(p: Parse, target: Noun, subject: Noun) -> None:
    if target.head:
        p.draft.pending.pop(target.end, "")
        p.draft.classes = [(u, name) for u, name in p.draft.classes if u != target.end]
        p.draft.relate(subject.end, target.head, target.end)
    else:
        others = alternatives(p, subject)
        for thing in (subject, *others):
            p.draft.relate(thing.end, "description", target.end)


def _standing_superlative(p: Parse, subject: Noun) -> None:
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
        or following.lower in ("been", "not", "no", "never")
        or not starts_noun(p)
        or superlative_at(p)
    ):
        reader.place = began
        clauses(p, target)
        return
    mark = len(p.draft.triples), len(p.draft.classes), dict(p.draft.pending)
    subject = noun(p, after=False)
    if subject and (reader.peek().is_participle or reader.at("been")):
        _all_of(p, subject, target, wh, preposition)
        return
    if subject and subject.named and p.draft.shape == "count" and reader.done:
        _bound(p, [subject], target, "", negative=False)
        return
    del p.draft.triples[mark[0] :], p.draft.classes[mark[1] :]
    p.draft.pending = mark[2]
    reader.place = began
    clauses(p, target)


def _boolean(p: Parse) -> None:
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
    subject = noun(p, after=word not in BE)
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
    if reader.peek().is_verb and not reader.peek().is_name or reader.at("not"):
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


def _statement(p: Parse) -> None:
    """ "whether X directed Y"."""
    p.draft.shape = "boolean"
    subject = noun(p)
    if subject is not None:
        clauses(p, subject)


def _more_clauses(p: Parse, subject: Noun | None) -> None:
    if subject is not None and not p.reader.done:
        clause(p, subject)


def _imperative(p: Parse, *, counted: bool = False) -> None:
    """ "List all films ...", "director of Inception"."""
    reader = p.reader
    if reader.at("who", "what", "which", "how", "when", "where"):
        _wh(p)
        return
    thing = noun(p)
    if thing is None:
        return
    _ask(p, thing)
    if counted:
        p.draft.shape = "count"
    if thing.named and not reader.done and reader.peek().is_content:
        _terse(p, thing)
    elif thing.named and reader.done:
        names = [thing, *alternatives(p, thing)]
        unknown = p.draft.fresh("answer")
        p.draft.target = unknown
        for name in names:
            p.draft.relate(name.end, "description", unknown)
    else:
        _standing_superlative(p, thing)
        if not reader.done:
            _rest(p, thing) if reader.peek().is_verb or reader.peek().lower in AUXILIARY else None


def _terse(p: Parse, thing: Noun) -> None:
    """ "Inception director": a name, then what is asked of it."""
    words = []
    while p.reader.peek().is_content:
        words.append(p.reader.take().text)
    unknown = p.draft.fresh(words[-1])
    p.draft.relate(thing.end, " ".join(words), unknown)
    p.draft.target = unknown


def _tail(p: Parse) -> None:
    """Read "ordered by age", "for each singer" and the like at the end."""
    reader = p.reader
    reader.skip(",", "and", "also", "please")
    if reader.at("ordered", "order", "sorted", "sort", "arranged", "ranked"):
        reader.take()
        reader.skip("them", "it", "the", "results", "by", "in")
        _ordered(p)


def _ordered(p: Parse) -> None:
    reader = p.reader
    descending = False
    while reader.at(
        "descending", "ascending", "order", "decreasing", "increasing", "of", "by", "their", "the", "alphabetical"
    ):
        descending = descending or reader.at("descending", "decreasing")
        reader.take()
    thing = noun(p, after=False)
    if thing is None or not is_unknown(thing.end):
        return
    p.draft.settle(thing.end, p.draft.target)
    descending = descending or any(atom.lower in ("descending", "decreasing") for atom in reader.atoms[reader.place :])
    p.draft.order = Order(thing.end, descending, limit=0)


__all__ = ["order_by", "understand"]
