"""What may stand behind a noun: relative clauses, participles, prepositions, comparisons."""

from __future__ import annotations

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.clauses import call, clause, clauses, complement, read_whose, verb_group
from chattykg.rulebook.legacy.closed_words import ADVERB, AUXILIARY, BE, DETERMINER, HAVE, PREPOSITION
from chattykg.rulebook.legacy.comparing import comparison_at, graded_at
from chattykg.rulebook.legacy.light_verbs import done_for
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.possession import read_having
from chattykg.rulebook.legacy.prepositions import prepositional, stranded
from chattykg.rulebook.legacy.quantities import comparison, unit
from chattykg.rulebook.legacy.units import measuring

_RELATIVE = ("that", "which", "who", "whom")


def after_noun(p: Parse, found: Noun) -> None:
    """Read all that may stand behind a noun and say it of the noun's end ("car ids with ...": of the cars)."""
    reader = p.reader
    found = found.base or found
    while not reader.done:
        began = reader.place
        if not _modifier(p, found):
            reader.place = began
            return


def _modifier(p: Parse, found: Noun) -> bool:
    reader = p.reader
    skipped = reader.skip(",") and not found.named
    if found.named:
        return reader.at(*_RELATIVE) and is_unknown(found.end) and _relative(p, found)
    if reader.at(*_RELATIVE):
        return _relative(p, found)
    if reader.at("whose"):
        return read_whose(p, found)
    if reader.at("where", "when") and not skipped:
        reader.take()
        return _object_relative(p, found, "")
    if reader.peek().lower in PREPOSITION and reader.at(*_RELATIVE, ahead=1) and reader.peek(1).lower != "that":
        preposition = reader.take().lower
        reader.take()
        return _object_relative(p, found, preposition)
    return _negated(p, found) or _plain_modifier(p, found)


def _negated(p: Parse, found: Noun) -> bool:
    """Read "not made in Italy", "without a price"."""
    reader = p.reader
    if reader.at("not", "never") and (reader.peek(1).is_verb or reader.peek(1).lower in PREPOSITION):
        reader.take()
        return clause(p, found, negative=True)
    return reader.skip("without") and read_having(p, found, negative=True)


def _plain_modifier(p: Parse, found: Noun) -> bool:
    """Read a participle, a comparison, a preposition, or a clause without its "that"."""
    reader = p.reader
    sorting = reader.at("sorted", "ordered", "ranked", "arranged", "grouped")
    main = p.inverted and not _is_reduced(p, found)
    if reader.peek().is_participle and not reader.peek().is_name and not main and not sorting:
        return _participle(p, found)
    if graded_at(p) or comparison_at(p) and (found.literal or _in_units(p)):
        return complement(p, found)
    if reader.peek().lower in PREPOSITION:
        return prepositional(p, found)
    return reader.peek().is_name and _verb_after_noun(p) and _object_relative(p, found, "")


def _is_reduced(p: Parse, found: Noun) -> bool:
    """Tell whether a participle is none of the main verb, which follows: "do the plants sold by X need"."""
    rest = [atom for atom in p.reader.atoms[p.reader.place + 1 :] if not atom.is_mark]
    while rest and rest[-1].lower in PREPOSITION:
        rest = rest[:-1]
    verbal = bool(rest) and (rest[-1].is_verb and not rest[-1].is_name or rest[-1].lower in HAVE)
    done_by = found.is_class and len(rest) > 1 and rest[0].lower == "by" and p.draft.shape == "list"
    return done_by or verbal and found.is_class and len(rest) > 1 and rest[0].lower in PREPOSITION


def _in_units(p: Parse) -> bool:
    """Tell whether a comparison with a measured amount stands at the cursor ("films over 100 minutes")."""
    began = p.reader.place
    measured = comparison(p.reader) is not None and bool(measuring(p.reader.peek().lower, "")) and unit(p.reader)
    p.reader.place = began
    return measured


def _verb_after_noun(p: Parse) -> bool:
    following = p.reader.peek(1)
    return following.is_verb and not following.is_name or following.lower in AUXILIARY


def _relative(p: Parse, found: Noun) -> bool:
    reader = p.reader
    reader.take()
    if (
        reader.peek().is_verb
        and not reader.peek().is_name
        or reader.peek().lower in AUXILIARY
        or reader.at("not", "never")
    ):
        return clauses(p, found)
    return _object_relative(p, found, "")


def _object_relative(p: Parse, found: Noun, preposition: str) -> bool:
    """Read "Nolan directed", "the Weser flows through": the noun is the object."""
    reader = p.reader
    inverted, p.inverted = p.inverted, True
    subject = noun(p, after=False)
    p.inverted = inverted
    if subject is None:
        return False
    if done_for(p, subject, found):
        return True
    while reader.peek().lower in AUXILIARY or reader.peek().lower in ADVERB:
        reader.take()
    if _role_of(p, subject, found):
        return True
    if not reader.peek().is_content:
        return False
    verb = reader.take().text
    preposition = preposition or (reader.take().lower if stranded(p) else "")
    p.draft.relate(subject.end, f"{verb} {preposition}".strip(), found.end)
    return True


def _role_of(p: Parse, subject: Noun, found: Noun) -> bool:
    """Read "the manager of" behind "that Ann is": the noun has her as that."""
    reader = p.reader
    began = reader.place
    words = []
    if reader.peek(-1).lower in BE and reader.skip("the", "a", "an"):
        while reader.peek().is_content and not reader.peek().is_name:
            words.append(reader.take().text)
    following = reader.peek(1)
    if not words or not reader.at("of", "for") or following.is_content or following.lower in DETERMINER:
        reader.place = began
        return False
    reader.take()
    p.draft.relate(found.end, " ".join(words), subject.end)
    return True


def _participle(p: Parse, found: Noun) -> bool:
    verb = p.reader.peek().lower
    if verb in ("called", "named", "titled", "entitled", "labeled", "labelled"):
        p.reader.take()
        p.reader.skip("as")
        named = noun(p, after=False)
        if named is None:
            return False
        call(p, found, named)
        return True
    if verb in ("having", "containing") and verb == "having":
        p.reader.take()
        return read_having(p, found)
    return verb_group(p, found, negative=False)
