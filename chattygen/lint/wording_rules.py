"""Rules for the words of questions: rows of ``question_defects.toml``, words of columns, answers in questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Literal as Choice

from chattyshared.check import Finding
from chattyshared.dialogue import Value
from chattyshared.kg.table_names import column_words
from chattyshared.language.abbreviations import is_sayable
from chattyshared.language.lexicon import alternation, load_lexicon, word_lists
from chattyshared.language.quantities import unit_forms
from chattyshared.language.scripts import known_languages
from chattyshared.sparql.analysis import is_rdf_type
from chattyshared.terms import iri_to_words

from chattygen.dialogue_language import DialogueLanguage, primary_subtag
from chattygen.lint.dialogue_view import (
    VALUE_MASK,
    DialogueView,
    TurnView,
    folded_words,
    mask_names,
    mentions_name,
    value_text,
)
from chattygen.lint.kg_facts import KGFacts
from chattygen.wording.checks import check_answers_hidden, check_well_formed

MAX_UNIT = 3
"""Letters of an abbreviated unit, and of an answer that counts as it is written only; set by hand."""


@dataclass(frozen=True, slots=True)
class WordingRow:
    """One defect of wording: its kind, the reason, what finds it, and whether the names in the text are masked."""

    kind: Choice["wording", "unsayable"]
    reason: str
    pattern: re.Pattern[str]
    is_masked: bool


@cache
def wording_rows() -> tuple[WordingRow, ...]:
    """Return the rows of ``question_defects.toml``, with the alternatives that they name."""
    table = load_lexicon("question_defects")
    files = [load_lexicon(name) for name in ("function_words", "verbs", "nouns", "abbreviations")]
    words = {key: alternation(map(str, value)) for file in files for key, value in file.items() if type(value) is list}
    forms = word_lists("verbs", "irregular").values()
    words["past_forms"] = alternation({past for past, participle in forms if past != participle})
    parts = {name: Template(text).safe_substitute(words) for name, text in table["parts"].items()}
    return tuple(
        WordingRow(kind, why, re.compile(Template(find).safe_substitute(words | parts), re.IGNORECASE), key == "masked")
        for key in ("bare", "masked")
        for kind, why, find in table[key]
    )


def wording_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge how each question is written, follow-up and standalone, and whether it holds its answer."""
    names = dialogue.all_names()
    for turn in dialogue.turns:
        values = [str(value) for value in turn.query.literals if not str(value).isdigit()]
        for text in dict.fromkeys(text for text in (turn.question, turn.standalone) if text.strip()):
            masked = mask_names(mask_names(text, names), values, VALUE_MASK)
            for row in wording_rows():
                if found := row.pattern.search(masked if row.is_masked else text):
                    yield Finding(row.kind, f'{row.reason}, "{found[0].strip()}" in: "{text}"', turn=turn.number)
        for word in _unsaid_words(dialogue, turn, kg_facts, mask_names(turn.question, names)):
            yield turn.finding("unsayable", f'"{word}" in')
        yield from _told_answers(turn, turn.answers or kg_facts.results.get(turn.number) or _ends_of_triples(turn))


def _unsaid_words(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts, text: str) -> Iterator[str]:
    """Yield words of a question from labels that nobody says: names of columns, codes, a unit behind its column."""
    iris = (*turn.query.predicates, dialogue.seed.type, *(str(o) for _, p, o in turn.query.patterns if is_rdf_type(p)))
    labels = [label for iri in iris if iri for label in (column_words(iri), *kg_facts.labels_of(iri))]
    labels += [earlier.answer_type for earlier in dialogue.turns[: turn.number]]
    phrases = [word for label in labels if not is_sayable(label) for word in label.split() if not is_sayable(word)]
    for iri in turn.query.predicates:
        *words, last = column_words(iri).casefold().split() or [""]
        if words and last in unit_forms("ending") and len(last) <= MAX_UNIT:
            phrases.append(f"{words[-1]} {last}")
    for phrase in dict.fromkeys(phrases):
        if re.search(rf"(?<!\w){re.escape(phrase)}s?(?!\w)", text, re.IGNORECASE):
            yield phrase


def _ends_of_triples(turn: TurnView) -> tuple[Value, ...]:
    """Return the objects in the triples of a file without gold, except those that the query itself contains."""
    objects = [o for _, _, o in turn.triples if o.strip() and not o.startswith("?")] if turn.answers is None else []
    ends = [o for o in objects if o not in turn.query.iris and o not in turn.sparql]
    return tuple(Value(o, "iri", label=iri_to_words(o)) if "://" in o else Value(o.strip('"'), "literal") for o in ends)


def _told_answers(turn: TurnView, answers: tuple[Value, ...]) -> Iterator[Finding]:
    """Find an answer in its own question, also as a part of a name there; a choice offers its answers."""
    if turn.is_polar or turn.query.counted_variables or turn.form == "comparison":
        return
    for answer in answers:
        name = " ".join(folded_words(value_text(answer)))
        is_short = len(name) < 2 or (answer.kind == "number" and len(name) < 3)
        if is_short or (len(turn.query.iris) > 1 and answer.value in turn.query.iris):
            continue
        for text in (turn.question, turn.standalone):
            is_offered = not turn.form and re.search(
                rf"\bor {re.escape(name)}\b|\b{re.escape(name)},? or\b", text, re.I
            )
            is_said = len(name) > MAX_UNIT and f" {name} " in f" {' '.join(folded_words(text))} "
            if not is_offered and (is_said or mentions_name(text, value_text(answer))):
                yield Finding("answer-in-question", f'"{value_text(answer)}" in: "{text}"', turn=turn.number)
                return


def language_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge the words of each turn by what its language prescribes; an unknown language prescribes nothing."""
    tag = primary_subtag(dialogue.lang)
    if tag not in {language.tag for language in known_languages()}:
        return
    language = DialogueLanguage(tag)
    label = dialogue.seed.label
    for turn in dialogue.turns:
        for text in dict.fromkeys(text for text in (turn.question, turn.standalone) if text.strip()):
            for problem in check_well_formed(text, language):
                yield Finding("wording", problem.sentence, turn=turn.number)
        is_named = not label or language.contains_name(turn.standalone, label)
        if dialogue.seed.iri in dialogue.iris_to_name(turn) and not is_named:
            yield Finding("not-standalone", f'does not name "{label}": "{turn.standalone}"', turn=turn.number)
        if not (turn.is_polar or turn.query.counted_variables or turn.form == "comparison"):
            for problem in check_answers_hidden(turn.standalone, turn.answer_texts):
                yield Finding("answer-in-question", problem.sentence, turn=turn.number)
    for text, times in Counter(turn.question.casefold() for turn in dialogue.turns).items():
        if times > 1:
            yield Finding("wording", f'{times} turns read the same: "{text}"')
