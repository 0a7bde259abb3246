"""Escalation: the log of a direct attempt, and when that is worth an exploration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chattyshared.check import Problem
from chattyshared.errors import ModelError, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.languages import language_of
from chattyshared.language.morphology import PREPOSITIONS, STOP_WORDS

from chattykg.direct.attempt import QueryAttempts
from chattykg.exploration.graph_names import MAX_LABEL_CHARACTERS, GraphNames, to_line

MIN_HIT_SCORE = 0.7
"""Score (0..1) from which an unused phrase may be a part of a label or value, or a misspelt one. Set by hand."""
MAX_HIDDEN_SHARE = 0.1
"""Share (0..1) of the vocabulary that need not be named: the least near to the question. Set by hand."""
MAX_SEARCHED, MAX_SHOWN = 4, 3
"""Phrases that are searched, and findings of each that are told."""
_CUT = (
    "The list of classes and predicates was cut: search the graph for {words} before you refuse. If you find nothing,"
    " answer none."
)
_NAMELESS = STOP_WORDS | PREPOSITIONS
"""Words that make no name, not even with a number ("back in 1980")."""
_TEXT = re.compile(r'"([^"\\\n]{3,80})"(?!\^\^)')
"""A text in a query, without those of a datatype."""


def find_reason_to_explore(log: AttemptLog) -> str:
    """Return what a direct attempt leaves to be looked up, as a sentence for the agent; "" if that is nothing.

    - A query that fails, is empty, has another shape than announced or leaves out a name or number of the question is
      always explored: the agent takes the place of the retry, with what was seen. Of an empty query the agent is also
      told which things have names like its texts.
    - A query that passed at once and uses all words is not.
    - A refusal, or a query without some words, is explored only where the agent can see what the direct prompt did not
      show: a label or value of the graph that is like an unused name and was not listed, or classes and predicates that
      were not even named. If they were and the words stand nowhere in the graph, there is nothing new to find, and
      the refusal stands.
    - A question about something that nobody named is asked back. A model that declined, or whose context is too
      short, is not asked again.

    The things that are told get numbers in the schema prompt of the attempts.

    Raises:
        EndpointError: the KG could not be asked.
    """
    attempts, entries = log.attempts, log.entries
    if log.is_final or not entries or attempts.missing_referent:
        return ""
    names = GraphNames(attempts.schema_prompt, attempts.kg)
    if problems := entries[-1].problems:
        is_empty = any(problem.rule == "empty" for problem in problems)
        texts = _TEXT.findall(str(entries[-1].reply.get("sparql", ""))) if is_empty else ()
        findings = list(_find_unlisted(texts, names, attempts.kg))
        attempts.schema_prompt = names.schema_prompt
        return " ".join((*(problem.sentence for problem in problems), *_tell_findings(findings)))
    phrases = tuple(entries[-1].reply.get("unused", ()))
    if attempts.outcome is not None and not phrases:
        return ""
    if findings := list(_find_unlisted(_name_phrases(phrases, attempts.question), names, attempts.kg)):
        attempts.schema_prompt = names.schema_prompt
        return " ".join((*_tell_findings(findings), "If that is what is meant, use it; else answer as before."))
    if attempts.schema_prompt.named_share >= 1 - MAX_HIDDEN_SHARE:
        return ""
    return _CUT.format(words=", ".join(f'"{to_line(p, 40)}"' for p in phrases[:MAX_SEARCHED]) or "what is asked")


def _name_phrases(phrases: Sequence[str], question: str) -> tuple[str, ...]:
    """Return the phrases that may be names: of several words, with a capital letter, or not in the dictionary.

    Any common word stands in some title, and any number under some predicate; the linker has seen that it is no whole
    name.
    """
    joined = " ".join(phrases)
    together = (joined,) if len(phrases) > 1 and joined.casefold() in question.casefold() else ()
    return (*together, *(phrase for phrase in phrases if _may_be_name(phrase, question)))


def _may_be_name(phrase: str, question: str) -> bool:
    words = phrase.split()
    if all(word.lower() in _NAMELESS or not any(map(str.isalpha, word)) for word in words):
        return False
    if len(words) > 1 or question.startswith(phrase):
        return len(words) > 1
    return phrase != phrase.lower() or not language_of(question).morphology.is_word(phrase)


def _tell_findings(findings: Sequence[str]) -> tuple[str, ...]:
    return (f"Not listed so far: {'; '.join(findings)}.",) if findings else ()


def _find_unlisted(phrases: Sequence[str], names: GraphNames, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the things and values that are like a phrase and that the prompt does not list."""
    searched = tuple(dict.fromkeys(p.strip()[:MAX_LABEL_CHARACTERS] for p in phrases if p.strip()))[:MAX_SEARCHED]
    if not searched:
        return
    listed, lines = {v.iri for v in names.schema_prompt.vertices}, names.schema_prompt.as_prompt_text().splitlines()
    listed |= {*kg.vocabulary.classes, *kg.vocabulary.predicates}
    things, values = kg.search(searched, limit=MAX_SHOWN), kg.search_literals(searched, limit=MAX_SHOWN)
    name_predicates = {*kg.profile.labels, *kg.profile.alt_labels}
    for phrase in searched:
        for hit in things.get(phrase, ()):
            if hit.score >= MIN_HIT_SCORE and hit.iri not in listed:
                kind = names.name(hit.types[0]) if hit.types else ""
                yield f'{names.name(hit.iri, hit.label, kind)} is like "{phrase}"'
        for value in values.get(phrase, ()):
            shown = " ".join(str(value.value)[:MAX_LABEL_CHARACTERS].split())
            under = [names.schema_prompt.prefixed_name(iri) for iri in value.predicates[:3]]
            is_listed = any(shown in line and any(name in line for name in under) for line in lines)
            if value.score >= MIN_HIT_SCORE and not is_listed and not name_predicates.issuperset(value.predicates):
                yield f'"{to_line(shown, MAX_LABEL_CHARACTERS)}" stands under {", ".join(under)}, like "{phrase}"'


@dataclass(frozen=True, slots=True)
class LoggedAttempt:
    """A reply and why it is no answer; without ``problems`` it was accepted."""

    reply: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class AttemptLog:
    """Records what some attempts check; ``is_final``: the model declined or the prompt does not fit."""

    attempts: QueryAttempts
    entries: list[LoggedAttempt] = field(default_factory=list)
    is_final: bool = False

    def check_reply(self, reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
        """Check a reply as the attempts do, and keep it with its problems (a check of the agent)."""
        problems = tuple(self.attempts.check_reply(reply, variables))
        self.entries.append(LoggedAttempt(reply, problems))
        yield from problems

    def record_failure(self, error: ModelError) -> None:
        """Keep why there is no reply that passed; a reply that is not even JSON is kept as its text."""
        if not isinstance(error, ReplyInvalid):
            self.is_final = True
        elif not self.entries:
            self.entries.append(LoggedAttempt({"reply": error.text[:300]}, error.problems[:3]))
