"""The rule model's replies to the prompts of Triad: a template of the grammar's reading, and the best matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chattyshared.language.languages import language_of
from chattyshared.language.morphology import lemma_of
from chattyshared.model import Request

from chattykg.conversation.unstated_questions import find_unstated
from chattykg.linking.candidates import NEAR_BEST_SHARE
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Relation, is_unknown
from chattykg.rulebook.qir import read_question
from chattykg.triad.options import MIN_MATCH

_KIND = "is a"
"""The relation of a thing to its kind."""


def write_template(request: Request) -> Any:
    """Reply with the best reading as triples and a template; without the kinds that an earlier try did not find."""
    question, earlier = str(request.variables["question"]).partition("\n")[0], " ".join(request.variables["earlier"])
    card = VocabularyCard(question=question, language=language_of(question))
    readings = () if find_unstated(question, card) else read_question(question, card)
    if not readings or not _is_simple(readings[0].qir):
        return {"class": "select", "triples": [], "template": ""}
    qir, phrases = readings[0].qir, {" ".join(map(lemma_of, p.lower().split())): p for p in readings[0].unused}
    qir = replace(qir, shape="number") if "Select it, do not count." in earlier else qir
    nouns = {unknown: unknown.strip("?").replace("_", " ") for unknown in qir.unknowns()}
    kinds = dict(qir.classes) | {unknown: noun for unknown, noun in nouns.items() if noun in phrases}
    kinds = {
        unknown: kind for unknown, kind in kinds.items() if f'"{_KIND}"' not in earlier and f'"{kind}"' not in earlier
    }
    triples = (*(Relation(unknown, _KIND, kind) for unknown, kind in kinds.items()), *qir.triples)
    return {
        "class": qir.shape if qir.shape in ("count", "boolean") else "select",
        "triples": [[t.subject, t.relation, t.object] for t in triples],
        "template": _write_query(qir, triples),
        "unused": [phrase for noun, phrase in phrases.items() if noun not in kinds.values()],
    }


def choose_options(request: Request) -> Any:
    """Reply with the options of each name that match about as well as its best one, and well enough."""
    choices = []
    for options in request.variables["options"].options.values():
        least = max(MIN_MATCH, NEAR_BEST_SHARE * options[0].score)
        choices.append([number for number, option in enumerate(options, 1) if option.score >= least])
    return {"choices": choices}


def _is_simple(qir: QIR) -> bool:
    """Tell whether a reading has classes and triples with relations, and nothing else."""
    rest = replace(qir, triples=(), classes=(), target="", shape="list")
    return rest == QIR("list") and bool(qir.triples or qir.classes) and all(qir.relations())


def _write_query(qir: QIR, triples: Sequence[Relation]) -> str:
    ends = ([end if is_unknown(end) else f"<{end}>" for end in triple.ends()] for triple in triples)
    body = " . ".join(f"{start} <{t.relation}> {end}" for t, (start, end) in zip(triples, ends, strict=True))
    if qir.shape == "boolean":
        return f"ASK {{ {body} }}"
    asked = f"(COUNT(DISTINCT {qir.target}) AS ?count)" if qir.shape == "count" else f"DISTINCT {qir.target}"
    return f"SELECT {asked} WHERE {{ {body} }}"
