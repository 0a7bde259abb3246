"""Names in exported databases: columns without their table's name or key mark, and people's names in two columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from rdflib import Literal, URIRef

from chattyshared.kg.batches import batches
from chattyshared.kg.label_ranking import singularize
from chattyshared.language.abbreviations import (
    CLEAR_WEIGHT,
    COLUMN_ABBREVIATIONS,
    SHORT_WEIGHT,
    abbreviates_phrase,
    abbreviation_weight,
    expand_abbreviations,
    expand_towards,
    initials,
    is_abbreviation,
)
from chattyshared.language.wordnet import has_sense, noun_kinds
from chattyshared.terms import iri_to_words, local_name, n3

KEY_MARKS = frozenset("id ids fk key ref".split())
"""Words that only mark a column as a reference to a row."""
_UNINFORMATIVE = KEY_MARKS | frozenset("name title label".split())
"""Words that name a column of nearly every table: alone, they do not identify one."""
_NEEDS_TABLE = _UNINFORMATIVE | frozenset("type kind class sort code number".split())
"""Words that people say with the name of the thing before them: a ship type."""
_REFERENCE_MARK = re.compile(r"^(?:ref|fk)[ _-]+(?=\w)", re.IGNORECASE)
_BEGINNING = 2
"""Letters of a column that may be the beginning of the only such word of its tables (``br``: branch)."""
_MIN_ABBREVIATION = 3
"""The least number of letters in an abbreviation of a table's name."""
_MIN_INITIALS = 3
"""Letters of a word that may be the first letters of the words of a comment; set by hand."""
_MIN_WORD = 5
"""Letters of a word that abbreviates no other word (a contract is no contractor); set by hand."""
_GIVEN_NAME = re.compile(
    r"\b(first ?name|given ?names?|fore ?names?|f ?name|christian ?name|name first|name given|vorname)$"
)
_FAMILY_NAME = re.compile(
    r"\b(last ?name|family ?names?|sur ?name|l ?name|name last|name family|nachname|familienname)$"
)
_GIVEN_OF_PAIR, _FAMILY_OF_PAIR = re.compile(r"\b(fn|f ?nm|initials?)$"), re.compile(r"\b(ln|l ?nm|s ?nm|s ?name)$")
"""Shorter names of columns that mean a given or family name only where there are both."""
_VALUE_MARKS = frozenset("amount code count flag indicator number text".split())
"""Words at the end of an abbreviated column name that tell the kind of its values only."""
_PHRASE = re.compile(r"(?:(?:an?|the)\s+)?((?:[^\W\d_]+\s+){0,3}[^\W\d_]+)\s*(?:$|[.,;:(])", re.IGNORECASE)
"""A comment that begins with a phrase of a few words only."""
MIN_MARKED = 4
"""Columns with a common first word, at least, that show a mark of their table; set by hand."""
MARKED_SHARE = 0.8
"""Share of the columns of several words, 0..1, that have the mark of their table; set by hand."""
MAX_SPLIT_WORDS = 4
"""The number of words up to which a name is split at every blank."""


def column_words(iri: str) -> str:
    """Return the local name of a predicate as words, without the table before a full stop (``BOOK.ret_dt``) and the
    mark of a reference (``ref-owner``)."""
    return _REFERENCE_MARK.sub("", iri_to_words(iri).rpartition(".")[2])


def is_column(iri: str, classes: Container[str]) -> bool:
    """Tell whether a predicate is named like a column of a table: ``ret_dt``, ``BOOK.ret``, ``BOOK#ret`` of BOOK."""
    name = local_name(iri)
    return "_" in name or "." in name or iri.rpartition("#")[0] in classes


def find_column_mark(predicates: Iterable[str]) -> str:
    """Return the first word that nearly all columns of a table have in common (``pat_dob``, ``pat_sex``), or ""."""
    names = {tuple(column_words(predicate).lower().split()) for predicate in predicates}
    firsts = Counter(words[0] for words in names if len(words) > 1)
    word, count = max(firsts.items(), key=lambda item: item[1], default=("", 0))
    return word if count >= MIN_MARKED and count >= MARKED_SHARE * sum(firsts.values()) else ""


def drop_table_prefix(words: Sequence[str], tables: Iterable[str]) -> list[str]:
    """Return the words of a column without the name of its table before them, if the others are enough."""
    length = max((_table_prefix_length(words, table.lower().split()) for table in tables), default=0)
    is_enough = not all(word.lower() in _NEEDS_TABLE or _is_uninformative(word) for word in words[length:])
    return list(words[length:] if is_enough else words)


def are_table_names(labels: Sequence[str]) -> bool:
    """Tell whether the labels of all classes are names of tables: several, all in capitals."""
    return len(labels) > 1 and all(label.isupper() for label in labels)


def spell_out_table(name: str, comment: str) -> str:
    """Return the name of a table in words: the phrase of its comment, or with the usual abbreviations expanded.

    ``REPREQ`` with the comment "repair requests (since 2020)" becomes ``repair request``.
    """
    phrase = _PHRASE.match(comment)
    words = [singularize(word) for word in phrase[1].lower().split()] if phrase else []
    return " ".join(words) if abbreviates_phrase(name.lower(), words) else expand_abbreviations(name)


def phrase_in_comment(words: str, comment: str) -> str:
    """Return the phrase that a comment begins with, if the words of a column abbreviate words of it; else "".

    ``yob`` with the comment "Year of birth" becomes ``year of birth``.
    """
    match = _PHRASE.match(comment)
    phrase = match[1].lower().split() if match else []
    if not phrase or words == initials(phrase):
        return " ".join(phrase)
    is_abbreviated = all(
        any(word == each or abbreviation_weight(word, each) for each in phrase)
        for word in expand_abbreviations(words).split()
    )
    return " ".join(phrase) if is_abbreviated else ""


def phrase_of_initials(word: str, comment: str) -> str:
    """Return the words in a row of a comment whose first letters make a word of a column; "" if there are none."""
    words = re.findall(r"[^\W\d_]+", comment.lower()) if len(word) >= _MIN_INITIALS else []
    runs = (words[start : start + len(word)] for start in range(len(words) - len(word) + 1))
    return next((" ".join(run) for run in runs if initials(run) == word), "")


def word_in_comment(word: str, comment: str) -> str:
    """Return the only word of a comment that a word of a column abbreviates (``exp``: expected); "" if there is none,
    or if the usual word is there."""
    words = set(re.findall(r"[^\W\d_]+", comment.lower()))
    is_short = is_abbreviation(word) or word in COLUMN_ABBREVIATIONS
    if not is_short or COLUMN_ABBREVIATIONS.get(word) in words:
        return ""
    found = [each for each in words if abbreviation_weight(word, each) >= SHORT_WEIGHT]
    return found[0] if len(found) == 1 else ""


def named_kind(predicate: str) -> str:
    """Return the noun for people or a group before "name" in a column (``firm_nm``: firm); "" if it has no other."""
    words = expand_abbreviations(column_words(predicate)).casefold()
    kind, _, last = words.rpartition(" ")
    is_kind = last == "name" and noun_kinds(kind)[:1] in (("person",), ("group",))
    return kind if is_kind and not _FAMILY_NAME.search(words) else ""


def spell_out_column(words: str, texts: Iterable[str]) -> str:
    """Return the words of a column with abbreviations expanded, usual ones or by the words of some texts.

    The texts are comments on the column and its table, and the names of tables: ``memb no`` becomes ``member number``,
    and ``br`` with a table ``branch`` becomes ``branch``.
    """
    found = (singularize(word) for text in texts for word in re.findall(r"[^\W\d_]+", text.lower()))
    known = tuple(dict.fromkeys(found))
    begun = {
        word: [each for each in known if each.startswith(word)] for word in words.split() if len(word) == _BEGINNING
    }
    words = " ".join(begun[w][0] if is_abbreviation(w) and len(begun.get(w, ())) == 1 else w for w in words.split())
    expanded, weight = expand_towards(expand_abbreviations(words), known)
    return expanded if weight >= CLEAR_WEIGHT else expand_abbreviations(words)


def shorten_column_name(
    name: str, tables: Iterable[str], *, is_reference: bool, targets: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the shorter names of a predicate, longest first; usually none.

    ``name`` is the local name as words, ``tables`` are the labels of the classes of its subjects, ``targets`` those of
    its objects, ``is_reference`` tells whether these are entities: ``visit nurse id`` of Visit becomes ``visit nurse``
    and ``nurse``, ``prod unit price`` of Product becomes ``unit price``, and ``paid flg`` becomes ``paid``.
    """
    words, shorter = name.split(), []
    prefix_length = max((_table_prefix_length(words, table.split()) for table in tables), default=0)
    if len(words) > 1 and _is_mark(words[-1].casefold(), is_reference=is_reference) and prefix_length < len(words) - 1:
        words = words[:-1]
        shorter.append(" ".join(words))
    if prefix_length and not all(map(_is_uninformative, words[prefix_length:])):
        shorter.append(" ".join(words[prefix_length:]))
    last = words[-1].casefold()
    target_words = {word.casefold() for table in targets for word in table.split()}
    if (
        len(words) - prefix_length > 1
        and last not in target_words
        and any(_abbreviates(last, word) for word in target_words)
    ):
        shorter.append(" ".join(words[:-1]))
    return tuple(dict.fromkeys(shorter))


def _is_uninformative(word: str) -> bool:
    """Tell whether a word names a column of nearly every table."""
    word = word.casefold()
    return word in _UNINFORMATIVE or COLUMN_ABBREVIATIONS.get(word) in _UNINFORMATIVE | _VALUE_MARKS


def _is_mark(word: str, *, is_reference: bool) -> bool:
    """Tell whether the last word of a column's name marks a reference, or is an abbreviation of a kind of values."""
    return word in KEY_MARKS if is_reference and word in KEY_MARKS else COLUMN_ABBREVIATIONS.get(word) in _VALUE_MARKS


def _table_prefix_length(words: Sequence[str], table: Sequence[str]) -> int:
    """Count the leading words that are words of a table's name, in order, or abbreviations of them."""
    position, matched = 0, 0
    for word in words[:-1]:
        matches = (
            index for index in range(position, len(table)) if _abbreviates(word.casefold(), table[index].casefold())
        )
        index = next(matches, None)
        if index is None:
            break
        position, matched = index + 1, matched + 1
    return matched


def _abbreviates(short: str, word: str) -> bool:
    """Tell whether ``short`` is the word, its singular or plural, or a subsequence of its letters."""
    if short in (word, word.removesuffix("s")) or word == short.removesuffix("s"):
        return True
    if len(short) >= _MIN_WORD and has_sense(short):
        return False
    letters = iter(word)
    return len(short) >= _MIN_ABBREVIATION and short[0] == word[0] and all(letter in letters for letter in short)


def split_name_patterns(names: Iterable[str], pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield graph patterns for entities (``?s``) whose given and family name make one of the names (``?x``).

    ``?p`` is the predicate of the given name. A name is split at each of its blanks. Without ``pairs`` there is no
    pattern.
    """
    parts = [
        (" ".join(words[:position]), " ".join(words[position:]))
        for words in map(str.split, names)
        for position in range(1, min(len(words), MAX_SPLIT_WORDS))
    ]
    rows = [f"({n3(Literal(a))} {n3(Literal(b))} {n3(Literal(f'{a} {b}'))})" for a, b in parts]
    columns = " ".join(f"({n3(URIRef(given))} {n3(URIRef(family))})" for given, family in pairs)
    for batch in batches(rows, 300) if columns else ():
        pattern = f"VALUES (?p ?p2) {{ {columns} }} ?s ?p ?given ; ?p2 ?family"
        yield f"VALUES (?given ?family ?x) {{ {' '.join(batch)} }} {pattern}"


def find_name_pair(predicates: Iterable[str]) -> tuple[str, str] | None:
    """Return the predicates of given and family name among those of one class, or None.

    Both local names must have the same prefix (``guest_first_name``, ``guest_last_name``). Of several pairs, the one
    with the shortest prefix is the entity's own name; the others name somebody else.
    """
    given_names: dict[str, str] = {}
    family_names: dict[str, str] = {}
    for predicate in sorted(predicates, reverse=True):
        name = expand_abbreviations(column_words(predicate)).casefold()
        patterns = ((_GIVEN_NAME, _GIVEN_OF_PAIR, given_names), (_FAMILY_NAME, _FAMILY_OF_PAIR, family_names))
        for pattern, short_pattern, predicate_by_prefix in patterns:
            if match := pattern.search(name) or short_pattern.search(name):
                predicate_by_prefix[name[: match.start()].strip()] = predicate
    prefixes = sorted(given_names.keys() & family_names.keys(), key=lambda prefix: (len(prefix.split()), prefix))
    return (given_names[prefixes[0]], family_names[prefixes[0]]) if prefixes else None


def is_name_part(predicate: str) -> bool:
    """Tell whether a predicate's name is that of a given or family name."""
    name = expand_abbreviations(column_words(predicate)).casefold()
    return bool(_GIVEN_NAME.search(name) or _FAMILY_NAME.search(name))
