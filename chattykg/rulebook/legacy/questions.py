"""Whole questions: what is asked for, and in which shape."""

from __future__ import annotations

from chattyshared.language.morphology import lemma_of, parse_degree

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.asking import ask, read_rest, standing_superlative
from chattykg.rulebook.legacy.choices import choose, superlative_at, take_choice
from chattykg.rulebook.legacy.clauses import clauses
from chattykg.rulebook.legacy.closed_words import AUXILIARY, BE, COMMAND, IRREGULAR, POLITE, PREPOSITION, WH
from chattykg.rulebook.legacy.excepting import leave_out, take_exceptions
from chattykg.rulebook.legacy.how import how_question
from chattykg.rulebook.legacy.nouns import noun, starts_noun
from chattykg.rulebook.legacy.ordering import sort, take_order
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.possession import own
from chattykg.rulebook.legacy.prepositions import alternatives, prepositional
from chattykg.rulebook.legacy.yes_no import read_statement, yes_no_question

_PREAMBLES = (
    ("can", "you"), ("could", "you"), ("would", "you"), ("will", "you"), ("i", "want", "to", "know"), ("i", "need"),
    ("i", "would", "like", "to", "know"), ("i", "would", "like"), ("i", "want", "to", "see"), ("i", "want"),
    ("do", "you", "know"), ("i", "am", "looking", "for"), ("let", "me", "know"), ("i", "wonder"), ("help", "me"),
    ("i'd", "like", "to", "know"), ("i", "am", "interested", "in"), ("what", "about"), ("how", "about"),
    ("do", "we", "have"), ("do", "you", "have"),
)  # fmt: skip


def understand(p: Parse) -> None:
    """Read the whole question into the draft."""
    choice, excepted, sorting = take_choice(p), take_exceptions(p), take_order(p)
    others = any(atom.lower in ("other", "else") for atom in p.reader.atoms[1:4])
    _understand(p)
    choose(p, choice)
    sort(p, sorting)
    leave_out(p, excepted)
    if others and not excepted:
        _without_named(p)


def _understand(p: Parse) -> None:
    reader = p.reader
    command = _preamble(p)
    atom = reader.peek()
    if atom.lower in PREPOSITION and reader.at("which", "what", "whose", "whom", "how", ahead=1):
        _prepositional(p)
    elif atom.lower in WH and atom.lower not in ("that",):
        _wh(p)
    elif atom.lower in AUXILIARY and not command:
        yes_no_question(p)
    elif reader.at("whether") or command and reader.at("if"):
        reader.take()
        read_statement(p)
    elif reader.at("count") or _counting(p):
        reader.skip("count", "calculate", "the", "number", "of", "all")
        _imperative(p, counted=True)
    else:
        _imperative(p)
    groups = [end for end in p.grouped if end != p.draft.target]
    if groups and (p.draft.shape == "count" or p.draft.aggregate):
        p.draft.targets = [*groups, p.draft.target]


def _without_named(p: Parse) -> None:
    """Leave out what is named: "which other films did the director of X make" does not ask for X."""
    named = (end for relation in p.draft.triples for end in relation.ends() if not is_unknown(end))
    for mention in dict.fromkeys(named if is_unknown(p.draft.target) else ()):
        p.draft.compare(p.draft.target, "!=", mention)


def _counting(p: Parse) -> bool:
    return p.reader.peek().lower in ("number", "count") and p.reader.at("of", ahead=1)


def _preamble(p: Parse) -> bool:
    """Move past politeness and commands; tell whether there was a command."""
    reader, command = p.reader, False
    while True:
        began = reader.place
        reader.skip(*POLITE, ",", "-", ":", ".", "!", "there")
        for words in _PREAMBLES:
            command = reader.skip_sequence(*words) or command
        verbal = reader.peek().lower in COMMAND and not reader.at("count") and reader.place + 1 < len(reader.atoms)
        if verbal and not (reader.peek().is_name or reader.peek(1).lower in BE | {"of", "'s", "and", ","}):
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
    thing = asked(p) or Noun(p.draft.fresh("answer"))
    ask(p, thing)
    read_rest(p, thing, preposition=preposition)


def asked(p: Parse) -> Noun | None:
    """Read the noun of "which NOUN" with what follows it."""
    p.asking = True
    thing = noun(p, after=False)
    p.asking = False
    if thing is not None and not thing.named:
        if (
            lemma_of(thing.head.lower()) in ("year", "date", "day", "month", "time")
            and thing.end not in p.draft.pending
        ):
            p.draft.shape = "date"
        p.after_noun(p, thing)
    return thing


def _wh(p: Parse) -> None:
    reader = p.reader
    word = reader.take().lower
    if word == "how":
        how_question(p)
        return
    if word in ("when", "where"):
        when_or_where = Noun(p.draft.fresh("date" if word == "when" else "place"))
        p.draft.shape = "date" if word == "when" else "list"
        p.draft.target = when_or_where.end
        read_rest(p, when_or_where, wh=word)
        return
    if word == "whose":
        _whose(p)
        return
    reader.skip("else", "all", "exactly")
    if reader.at("one", "ones") and (reader.at("of", ahead=1) or reader.peek(1).lower in AUXILIARY):
        reader.take()
    if reader.at("of") and word in ("which", "who", "what"):
        _which_of(p)
        return
    thing: Noun | None = None
    said = word == "what" and reader.peek().is_name and reader.peek().capital and reader.peek(1).lower in AUXILIARY
    if not said and not _is_clause(p) and starts_noun(p) and word in ("which", "what") or superlative_at(p):
        thing = asked(p)
    if thing is None:
        thing = Noun(p.draft.fresh("who" if word in ("who", "whom") else "answer"))
        ask(p, thing)
        read_rest(p, thing, wh=word)
        return
    ask(p, thing)
    read_rest(p, thing)


def _is_clause(p: Parse) -> bool:
    """Tell whether a verb follows the question word, and no noun: "which came out first"."""
    atom = p.reader.peek()
    following = p.reader.peek(1)
    plain = following.is_function or not (atom.group or atom.predicate)
    if atom.lower.endswith("s") and atom.is_verb and not (atom.is_nounish or atom.group or atom.is_name):
        return bool(parse_degree(following.lower)[1]) or following.lower in PREPOSITION
    return atom.lower in IRREGULAR and atom.size == 1 and plain and not following.is_participle


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
        p.groups[unknown] = tuple(dict.fromkeys(iri for n in names for iri in p.groups.get(n.end, ())))
        first = Noun(unknown)
    p.reader.skip(",")
    ask(p, first)
    while p.reader.peek().lower in PREPOSITION and prepositional(p, first):
        continue
    read_rest(p, first)


def _whose(p: Parse) -> None:
    thing = noun(p, after=False)
    owner = Noun(p.draft.fresh("owner"))
    ask(p, owner)
    if thing is not None:
        own(p, owner, thing)
        clauses(p, thing)


def _imperative(p: Parse, *, counted: bool = False) -> None:
    """ "List all films ...", "director of Inception"."""
    reader = p.reader
    if reader.at("who", "what", "which", "how", "when", "where"):
        _wh(p)
        return
    thing = noun(p)
    if thing is None:
        return
    ask(p, thing)
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
        standing_superlative(p, thing)
        if not reader.done:
            read_rest(p, thing) if reader.peek().is_verb or reader.peek().lower in AUXILIARY else None


def _terse(p: Parse, thing: Noun) -> None:
    """ "Inception director": a name, then what is asked of it."""
    words = []
    while p.reader.peek().is_content:
        words.append(p.reader.take().text)
    unknown = p.draft.fresh(words[-1])
    p.draft.relate(thing.end, " ".join(words), unknown)
    p.draft.target = unknown
