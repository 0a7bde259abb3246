"""Rules for names: artefacts in labels, answers in their own questions, answers that repeat a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.dialogue import Value
from chattyshared.kg.table_names import column_words
from chattyshared.language.abbreviations import is_sayable
from chattyshared.language.inflection import head_noun
from chattyshared.language.lexicon import alternation, word_list, word_set
from chattyshared.language.quantities import unit_forms
from chattyshared.sparql.analysis import is_rdf_type
from chattyshared.terms import iri_to_words
from rdflib import URIRef

from chattygen.lint.dialogue_view import DialogueView, TurnView, folded_words, mask_names, mentions_name, value_text
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import facts_of
from chattygen.subgraph.predicate_salience import has_trailing_punctuation

_ABBREVIATED = re.compile(
    rf"(?:^|[\s.(])(?:\w|{alternation(word_list('abbreviations', 'dotted'))})\.$|\.\.\.$|…$", re.IGNORECASE
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_ARTEFACTS = tuple(
    (what, re.compile(pattern, re.IGNORECASE if "prefix" in what or "remark" in what else 0))
    for what, pattern in (
        ("a User: or other page prefix", rf"(?<!\w)(?:{alternation(word_list('nouns', 'wiki_namespaces'))}):(?=\S)"),
        ("author and year", rf": .*(?:\.|et al\.?|[?!])\s*\({_YEAR}\)|\bet al\.?,? \(?{_YEAR}\b"),
        ("author and year", rf"^(?:\w\.[ -]? ?\w|\w+, \w\.)[^:]*: .+\({_YEAR}\)"),
        ("a numeric suffix", r"(?<=[^\W\d]) 0\d{3}(?!\w)|(?<=\w)_\d+(?!\w)|(?<=[^\W\d])#\d+$"),
        ("an underscore", r"(?<=[^\W_])_+(?=[^\W_])|\b\w+_\(\w+\)"),
        ("a language tag or datatype", r"(?<=\w\")@[a-z]{2,3}\b|(?<=[a-z])@(?:en|de|fr|es|it|pt|zh|ja|ru)\b|\^\^\w+"),
        ("an encoded letter", r"%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|&(?:amp|quot|lt|gt|#\d+);"),
        ("a remark for editors", r"\((?:disambiguation|redirect|deprecated|obsolete)\)"),
    )
)
MAX_UNIT = 3
"""Letters of an abbreviated unit; this and the limit below are set by hand."""
MIN_PREFIXED = 2
"""Columns whose names begin with that of their table: the fewest that show that it is a prefix."""
_NAME_PREDICATES = word_set("relation_labels", "naming")
"""Labels of predicates whose values repeat a name, for files without answers."""


def label_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge the names in each turn, and what the answers leak or repeat."""
    for turn in dialogue.turns:
        marked = (str(value) for value in turn.query.literals if has_trailing_punctuation(str(value)))
        artefact = next((f'a trailing mark: "{value}"' for value in marked), "") or next(
            (message for text in (turn.standalone, turn.question) for message in _artefacts_in(dialogue, text)), ""
        )
        if artefact:
            yield Finding("label-artefact", artefact, turn=turn.number)
        word = next(_unsaid_words(dialogue, turn, kg_facts), "")
        if word:
            yield turn.finding("unsayable", f'"{word}" in')
        answers = turn.answers or kg_facts.results.get(turn.number) or _answers_from_triples(turn)
        echo = _echoed_name(dialogue, turn, answers)
        if echo:
            yield Finding("label-echo", echo, turn=turn.number)
        else:
            yield from _leaked_answers(turn, answers)
    if kg_facts.is_seed_name_shared and any(
        _names_seed_without_class(dialogue, turn.standalone) for turn in dialogue.turns
    ):
        yield Finding("ambiguous-name", f'another entity is called "{dialogue.seed.label}" too')


def _names_seed_without_class(dialogue: DialogueView, text: str) -> bool:
    """Tell whether a question names the dialogue's entity without a word for its class near the name."""
    name = re.escape(dialogue.seed.label)
    noun = re.escape(iri_to_words(dialogue.seed.type).split()[-1]) if dialogue.seed.type else "(?!)"
    pattern = rf"\b{noun}\b(?: \w+)? [\"'“‘(]?{name}|{name}[\"'”’]?,? (?:\(|the |an? )?(?:\w+ )?{noun}\b"
    return mentions_name(text, dialogue.seed.label) and not re.search(pattern, text, re.IGNORECASE)


def _unsaid_words(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield the words of the question that come from a label which nobody says: a column's name, a code."""
    text = mask_names(turn.question, dialogue.all_names())
    iris = (*turn.query.predicates, dialogue.seed.type, *(str(o) for _, p, o in turn.query.patterns if is_rdf_type(p)))
    labels = [label for iri in iris if iri for label in (column_words(iri), *kg_facts.labels_of(iri))]
    labels += [earlier.answer_type for earlier in dialogue.turns[: turn.number]]
    for label in dict.fromkeys(labels):
        for word in label.split() if not is_sayable(label) else ():
            if not is_sayable(word) and re.search(rf"(?<!\w){re.escape(word)}s?(?!\w)", text, re.IGNORECASE):
                yield word
    for phrase in _column_phrases(turn, kg_facts):
        if re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE):
            yield phrase


def _column_phrases(turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield the names of columns that end in a unit, or begin with their table, where several do: ``pet weight``."""
    for iri in turn.query.predicates:
        *words, last = column_words(iri).casefold().split() or [""]
        if words and last in unit_forms("ending") and len(last) <= MAX_UNIT:
            yield f"{words[-1]} {last}"
    for entity, predicate, side in facts_of(turn.query):
        noun = f"{head_noun(next(iter(kg_facts.class_labels.get(entity, ())), ''))} "
        names = {each.iri: column_words(each.iri).casefold() for each in kg_facts.stated.get((entity, side), ())}
        prefixed = {
            iri: name for iri, name in names.items() if side == "out" and name.startswith(noun) and noun.strip()
        }
        if predicate in prefixed and "_" in predicate and len(prefixed) >= MIN_PREFIXED:
            yield prefixed[predicate]


def describe_artefact(label: str) -> str:
    """Describe the artefact in a label that no person would write; empty if there is none."""
    for description, pattern in _ARTEFACTS:
        if pattern.search(label):
            return description
    text = label.strip()
    if re.search(r"(?<![^\W\d_])[^\W\d_]{2,}\.$", text) and not _ABBREVIATED.search(text):
        return "a trailing dot"
    return ""


def _artefacts_in(dialogue: DialogueView, text: str) -> Iterator[str]:
    """Yield the artefacts in the names that a text mentions, then those in the text itself."""
    for name in dialogue.all_names():
        bare = name.rstrip(".")
        if mentions_name(text, bare) and (description := describe_artefact(name)):
            if description != "a trailing dot" or re.search(rf"{re.escape(bare)}\.(?=\W|$)", text, re.IGNORECASE):
                yield f'{description}: "{name}"'
    for description, pattern in _ARTEFACTS:
        if match := pattern.search(text):
            yield f'{description}, "{match[0].strip()}" in: "{text}"'
    dotted = re.search(r"(?<!\S)\S+\.(?=\?|['’]s\b)", text)
    whole = re.search(r"(?:^|\s)\S*[^\W\d_]{2}\.(?=\?|['’]s\b)", text)
    if dotted and whole and not _ABBREVIATED.search(whole[0]):
        yield f'a trailing dot, "{dotted[0]}" in: "{text}"'


def _answers_from_triples(turn: TurnView) -> tuple[Value, ...]:
    """Return the objects in the triples of a file without gold, except those that the query itself contains."""
    objects = [o for _, _, o in turn.triples if o.strip() and not o.startswith("?")] if turn.answers is None else []
    ends = [o for o in objects if o not in turn.query.iris and o not in turn.sparql]
    return tuple(Value(o, "iri", label=iri_to_words(o)) if "://" in o else Value(o.strip('"'), "literal") for o in ends)


def _echoed_name(dialogue: DialogueView, turn: TurnView, answers: tuple[Value, ...]) -> str:
    """Tell that an answer is (a part of) the name of what is asked about; without answers, judge by the predicate's
    label."""
    query = turn.query
    if turn.is_polar or query.counted_variables or query.syntax_error:
        return ""
    subjects = [str(s) for s, _, _ in query.patterns if isinstance(s, URIRef)]
    if not answers:
        names = [iri_to_words(iri).casefold() for iri in query.predicates]
        predicate_name = next((name for name in names if name in _NAME_PREDICATES), "")
        return f"asks for the {predicate_name}" if predicate_name and subjects and turn.answers is None else ""
    if len(query.patterns) > 1 or (len(query.iris) > 1 and {answer.value for answer in answers} & set(query.iris)):
        return ""  # a choice between entities that the query itself contains
    for iri in query.iris:
        for name in (name for name in dialogue.names_of(iri) if mentions_name(turn.standalone, name)):
            name_words = folded_words(name)
            echoing = [a for a in answers if _contains_words(folded_words(value_text(a)), name_words)]
            # Numbers and single letters occur in names by chance.
            is_distinctive = all(answer.kind != "number" and len(value_text(answer)) > 1 for answer in answers)
            if name_words and len(echoing) == len(answers) and is_distinctive:
                return f'the answer "{value_text(echoing[0])}" is in the name "{name}"'
    return ""


def _contains_words(part: list[str], words: list[str]) -> bool:
    return bool(part) and f" {' '.join(part)} " in f" {' '.join(words)} "


def _leaked_answers(turn: TurnView, answers: tuple[Value, ...]) -> Iterator[Finding]:
    """Find an answer in its own question, except in comparisons and, if the form is not stated, in a choice with
    ``or``."""
    if turn.is_polar or turn.query.counted_variables or turn.form == "comparison":
        return
    for answer in answers:
        name = value_text(answer)
        if len(turn.query.iris) > 1 and answer.value in turn.query.iris:
            continue  # a choice between entities that the query itself contains
        for text in (turn.question, turn.standalone):
            offered = re.search(rf"\bor {re.escape(name)}\b|\b{re.escape(name)},? or\b", text, re.IGNORECASE)
            short = len(name) < 2 or (answer.kind == "number" and len(name) < 3)
            if not short and mentions_name(text, name) and not (offered and not turn.form):
                yield Finding("answer-in-question", f'"{name}" in: "{text}"', turn=turn.number)
                return
