"""Rules for names: artefacts in labels, answers in their own questions, answers that echo a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.dialogue import Value
from chattyshared.terms import iri_to_words
from rdflib import URIRef

from chattygen.lint.defect import LintFinding
from chattygen.lint.dialogue_view import DialogueView, TurnView, value_text
from chattygen.lint.entity_names import folded_words, mentions_name
from chattygen.lint.kg_facts import KGFacts

_ABBREVIATED = re.compile(
    r"(?:^|[\s.(])(?:\w|inc|ltd|llc|jr|sr|co|corp|bros|cie|dept|univ|dr|mr|mrs|ms|st|mt|ft|no|nos|vol|vols|etc|al|ed|eds"
    r"|est|gov|hon|rev|sgt|lt|col|gen|capt|ph\.d|b\.v|s\.a|e\.v|u\.s|d\.c|approx|intl|assn|mfg|plc|gmbh|ca|cf|pt|pp|ave"
    r"|blvd|rd|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\.$|\.\.\.$|…$",
    re.IGNORECASE,
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_ARTEFACTS = tuple(
    (what, re.compile(pattern, re.IGNORECASE if "prefix" in what or "remark" in what else 0))
    for what, pattern in (
        (
            "a User: or other page prefix",
            r"(?<!\w)(?:user|file|category|template|talk|special|wikipedia|portal|draft|module|mediawiki|image):(?=\S)",
        ),
        ("author and year", rf": .*(?:\.|et al\.?|[?!])\s*\({_YEAR}\)|\bet al\.?,? \(?{_YEAR}\b"),
        ("author and year", rf"^(?:(?:\w\.[ -]?)+ ?\w+|\w+, (?:\w\.)+)[^:]*: .+\({_YEAR}\)"),
        ("a numeric suffix", r"(?<=[^\W\d]) 0\d{3}(?!\w)|(?<=\w)_\d+(?!\w)|(?<=[^\W\d])#\d+$"),
        ("an underscore", r"(?<=[^\W_])_+(?=[^\W_])|\b\w+_\(\w+\)"),
        ("a language tag or datatype", r"(?<=\w\")@[a-z]{2,3}\b|(?<=[a-z])@(?:en|de|fr|es|it|pt|zh|ja|ru)\b|\^\^\w+"),
        ("an encoded letter", r"%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|&(?:amp|quot|lt|gt|#\d+);"),
        ("a remark for editors", r"\((?:disambiguation|redirect|deprecated|obsolete)\)"),
    )
)
_ECHOING = frozenset(
    (
        "name|label|title|given name|first name|forename|family name|last name|surname|full name|birth name"
        "|alternate name|alternative name|alias|also known as|nickname|pref label|alt label|official name|legal name"
        "|primary full creator name|original title|short name|long name|other name|common name"
    ).split("|")
)
"""Predicates that repeat a name, by their own names: where a file has no answers to judge by."""


def label_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[LintFinding]:
    """Judge the names in each turn, and what the answers give away or repeat."""
    for line in dialogue.turns:
        seen = next((said for text in (line.standalone, line.question) for said in _artefact(dialogue, text)), "")
        if seen:
            yield LintFinding("label-artefact", line.number, seen)
        answers = line.answers or kg_facts.results.get(line.number) or _of_triples(line)
        echo = _echo(dialogue, line, answers)
        if echo:
            yield LintFinding("label-echo", line.number, echo)
        else:
            yield from _given_away(line, answers)
    if kg_facts.is_seed_name_shared and any(_names_barely(dialogue, line.standalone) for line in dialogue.turns):
        yield LintFinding("ambiguous-name", 0, f'something else is called "{dialogue.seed.label}" as well')


def _names_barely(talk: DialogueView, text: str) -> bool:
    """Tell whether a question names the dialogue's entity without saying near the name what kind of thing it is."""
    name = re.escape(talk.seed.label)
    noun = re.escape(iri_to_words(talk.seed.type).split()[-1]) if talk.seed.type else "(?!)"
    near = rf"\b{noun}\b(?: \w+)? [\"'“‘(]?{name}|{name}[\"'”’]?,? (?:\(|the |an? )?(?:\w+ )?{noun}\b"
    return mentions_name(text, talk.seed.label) and not re.search(near, text, re.IGNORECASE)


def describe_artefact(label: str) -> str:
    """Say what in a label no person would write; empty where there is nothing."""
    for what, pattern in _ARTEFACTS:
        if pattern.search(label):
            return what
    text = label.strip()
    if re.search(r"[^\W\d_]{2,}\.$", text) and not _ABBREVIATED.search(text):
        return "a trailing dot"
    return ""


def _artefact(talk: DialogueView, text: str) -> Iterator[str]:
    """Judge the names that a text says, then the text itself."""
    for name in talk.all_names():
        bare = name.rstrip(".")
        if mentions_name(text, bare) and (what := describe_artefact(name)):
            if what != "a trailing dot" or re.search(rf"{re.escape(bare)}\.(?=\W|$)", text, re.IGNORECASE):
                yield f'{what}: "{name}"'
    for what, pattern in _ARTEFACTS:
        if found := pattern.search(text):
            yield f'{what}, "{found[0].strip()}" in: "{text}"'
    dotted = re.search(r"\S+\.(?=\?|['’]s\b)", text)
    whole = re.search(r"(?:^|\s)\S*[^\W\d_]{2,}\.(?=\?|['’]s\b)", text)
    if dotted and whole and not _ABBREVIATED.search(whole[0]):
        yield f'a trailing dot, "{dotted[0]}" in: "{text}"'


def _of_triples(line: TurnView) -> tuple[Value, ...]:
    """Return the objects that a file without gold gives with its triples, where the query does not hold them itself."""
    told = [o for _, _, o in line.triples if o.strip() and not o.startswith("?")] if line.answers is None else []
    ends = [o for o in told if o not in line.query.iris and o not in line.sparql]
    return tuple(Value(o, "iri", label=iri_to_words(o)) if "://" in o else Value(o.strip('"'), "literal") for o in ends)


def _echo(talk: DialogueView, line: TurnView, answers: tuple[Value, ...]) -> str:
    """Say that an answer is (a part of) the name of what is asked about; without answers, by the predicate's name."""
    query = line.query
    if line.is_polar or query.counted_variables or query.syntax_error:
        return ""
    subjects = [str(s) for s, _, _ in query.patterns if isinstance(s, URIRef)]
    if not answers:
        names = [iri_to_words(iri).casefold() for iri in query.predicates]
        said = next((name for name in names if name in _ECHOING), "")
        return f"asks for the {said}" if said and subjects and line.answers is None else ""
    if len(query.patterns) > 1 or (len(query.iris) > 1 and {answer.value for answer in answers} & set(query.iris)):
        return ""  # a choice among things that the query itself holds is no echo
    for iri in query.iris:
        for name in (name for name in talk.names_of(iri) if mentions_name(line.standalone, name)):
            told = folded_words(name)
            inside = [a for a in answers if _runs_in(folded_words(value_text(a)), told)]
            if told and len(inside) == len(answers) and all(_tells(a) for a in answers):
                return f'the answer "{value_text(inside[0])}" stands in the name "{name}"'
    return ""


def _tells(answer: Value) -> bool:
    """Numbers and single letters may stand in a name by chance."""
    return answer.kind != "number" and len(value_text(answer)) > 1


def _runs_in(some: list[str], many: list[str]) -> bool:
    return bool(some) and f" {' '.join(some)} " in f" {' '.join(many)} "


def _given_away(line: TurnView, answers: tuple[Value, ...]) -> Iterator[LintFinding]:
    """No answer stands in its own question, but in a comparison; where forms are not told, in a choice with ``or``."""
    if line.is_polar or line.query.counted_variables or line.form == "comparison":
        return
    for answer in answers:
        name = value_text(answer)
        if len(line.query.iris) > 1 and answer.value in line.query.iris:
            continue  # a choice among things that the query itself holds
        for text in (line.question, line.standalone):
            offered = re.search(rf"\bor {re.escape(name)}\b|\b{re.escape(name)},? or\b", text, re.IGNORECASE)
            short = len(name) < 2 or (answer.kind == "number" and len(name) < 3)
            if not short and mentions_name(text, name) and not (offered and not line.form):
                yield LintFinding("answer-in-question", line.number, f'"{name}" in: "{text}"')
                return
