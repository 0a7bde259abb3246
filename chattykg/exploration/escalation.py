"""Escalation: when a direct attempt is worth an exploration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chattyshared.kg import KnowledgeGraph

from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.exploration.attempt_log import AttemptLog
from chattykg.exploration.graph_names import MAX_LABEL_CHARACTERS, to_line

MIN_HIT_SCORE = 0.7
"""Score (0..1) from which an unused phrase may be a part of a label or value, or a misspelt one. Set by hand."""
MAX_SEARCHED, MAX_SHOWN = 4, 3
"""Unused phrases that are searched, and findings that are told."""
_CUT = (
    "The list of classes and predicates was cut: search the graph for {words} before you refuse. If you find nothing,"
    " answer none."
)


def find_reason_to_explore(log: AttemptLog) -> str:
    """Return what a direct attempt leaves to be looked up, as a sentence for the agent; "" if that is nothing.

    - A query that fails, is empty, has another shape than announced or leaves out a name or number of the question is
      always explored: the agent takes the place of the retry, with what was seen.
    - A query that passed at once and uses all words is not.
    - A refusal, or a query without some words, is explored only where the agent can see what the direct prompt did not
      show: a label or value of the graph that is like an unused phrase and was not listed, or a vocabulary that was
      cut. If everything was listed and the words stand nowhere in the graph, there is nothing new to find, and the
      refusal stands.
    - A question about something that nobody named is asked back. A model that declined, or whose context is too
      short, is not asked again.

    Raises:
        EndpointError: the KG could not be asked.
    """
    attempts, entries = log.attempts, log.entries
    if log.is_final or not entries:
        return ""
    if problems := entries[-1].problems:
        return " ".join(problem.sentence for problem in problems)
    if attempts.missing_referent:
        return ""
    phrases = tuple(entries[-1].reply.get("unused", ()))
    if attempts.outcome is not None and not phrases:
        return ""
    if findings := list(_find_unshown(phrases, attempts.schema_prompt, attempts.kg))[:MAX_SHOWN]:
        return f"Not listed so far: {'; '.join(findings)}. If that is what is meant, use it; else answer as before."
    if attempts.schema_prompt.is_complete:
        return ""
    return _CUT.format(words=", ".join(f'"{to_line(p, 40)}"' for p in phrases[:MAX_SEARCHED]) or "what is asked")


def _find_unshown(phrases: Sequence[str], schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the things and values that are like a phrase and that the prompt does not show."""
    searched = tuple(phrase.strip()[:MAX_LABEL_CHARACTERS] for phrase in phrases[:MAX_SEARCHED] if phrase.strip())
    if not searched:
        return
    listed, text = {vertex.iri for vertex in schema_prompt.vertices}, schema_prompt.as_prompt_text()
    vocabulary = kg.vocabulary
    things, values = kg.search(searched, limit=MAX_SHOWN), kg.search_literals(searched, limit=MAX_SHOWN)
    for phrase in searched:
        for hit in things.get(phrase, ()):
            known = hit.iri in listed or hit.iri in vocabulary.classes or hit.iri in vocabulary.predicates
            if hit.score >= MIN_HIT_SCORE and not known:
                yield f'the thing "{to_line(hit.label, MAX_LABEL_CHARACTERS)}" for "{phrase}"'
        for value in values.get(phrase, ()):
            if not set(value.predicates).difference(kg.profile.labels, kg.profile.alt_labels):
                continue
            shown = " ".join(value.value.n3()[:MAX_LABEL_CHARACTERS].split())
            if value.score >= MIN_HIT_SCORE and shown not in text:
                under = ", ".join(schema_prompt.prefixed_name(iri) for iri in value.predicates[:3])
                yield f'the value {to_line(str(value.value), MAX_LABEL_CHARACTERS)} under {under} for "{phrase}"'
