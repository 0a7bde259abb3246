"""The rule of ``generate/dialogue``: replace names by referring expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from chattyshared.language.lexicon import alternation, word_set
from chattyshared.model import Request

from chattygen.lexicalization.word_forms import join_words, lemmatize_verb, third_person
from chattygen.rulebook.referring_expressions import ReferringExpression, choose_reference
from chattygen.wording.drafts import DraftTurn

_ABSOLUTE_POSSESSIVES = {"him": "his", "her": "hers", "them": "theirs"}
_BEFORE_SUBJECT = f"(?:{alternation(word_set('function_words', 'auxiliaries', 'modals'))})"


def rewrite_dialogue(request: Request) -> dict[str, Any]:
    """Rewrite every turn after the first as a follow-up question."""
    drafts: tuple[DraftTurn, ...] = request.variables["turns"]
    turns = []
    for index, draft in enumerate(drafts[1:], 1):
        rng = Random(f"{request.digest()}/{draft.number}")
        reference = choose_reference(draft, drafts[:index], rng)
        text = replace_name(draft.question, draft.entity.label, reference)
        if (
            not draft.is_about_answer
            and rng.random() < 0.12
            and text.startswith(("What ", "Who ", "When ", "Where ", "How "))
        ):
            text = f"And {text[:1].lower()}{text[1:]}"
        turns.append({"turn": draft.number, "question": text})
    return {"turns": turns}


_PLURALS = {"is": "are", "was": "were", "does": "do", "has": "have"}


def _inflect(text: str, forms: Mapping[str, str], before: str) -> str:
    """Replace forms of verbs before a pattern by others, with the same first letter in upper or lower case."""

    def swap(match: re.Match[str]) -> str:
        verb = forms[match[1].lower()]
        return f"{verb if match[1].islower() else verb.capitalize()} "

    return re.sub(rf"\b((?i:{'|'.join(forms)})) (?={before})", swap, text)


def _relative_clause(match: re.Match[str], reference: ReferringExpression) -> str:
    """Insert the reference as the subject of a relative clause: ``the city where he was born``."""
    verb = match[2] or ""
    if reference.is_plural and verb:
        base = lemmatize_verb(verb)
        verb = _PLURALS.get(verb) or (base if third_person(base) == verb else verb)
    return join_words(match[1], reference.subject, verb)


def _insert_possessive(question: str, name: str, reference: ReferringExpression) -> str:
    """Insert the reference where the name is a possessor: ``its color``; ``the color of the second one``."""
    mark, text = r"(?:'s|'(?!\w)|’s)", question
    if "'" in question or "’" in question:
        if reference.is_long:
            text = re.sub(
                rf"{name}{mark} ([\w -]+?)(?=\?|, | in | on | is | was )", rf"the \1 of {reference.object}", text
            )
        text = re.sub(rf"{name}{mark}", reference.possessive, text)
    if reference.is_long or " of " not in text:
        return text
    return re.sub(
        rf"\bthe ((?:(?!\bof\b)[^?,])+?(?: of (?!the )\w+)?) of {name}(?!\w)", rf"{reference.possessive} \1", text
    )


def replace_name(question: str, label: str, reference: ReferringExpression) -> str:
    """Replace a name by a reference: possessives first, then subjects, then all others."""
    name = rf"(?:\b[Tt]he )?{re.escape(label)}" if not label.casefold().startswith("the ") else re.escape(label)
    name = rf'(?:"{re.escape(label)}"|{name})' if label.endswith(("?", "!")) else name
    is_plural = label.casefold().startswith("the ") or label.split()[-1].islower()
    if is_plural and label.casefold().endswith("s"):  # The Beatles: the band is
        question = _inflect(question, {several: one for one, several in _PLURALS.items()}, rf"{name}(?![\w'’])")
    text = _insert_possessive(question, name, reference)
    if reference.is_plural:
        text = _inflect(text, _PLURALS, rf"{name}(?!\w)(?! as )")
    text = re.sub(
        rf"\b({_BEFORE_SUBJECT}) {name}(?!\w)(?!\s*\?)(?! as )", rf"\1 {reference.subject}", text, flags=re.IGNORECASE
    )
    text = re.sub(rf"\b(is|are|was|were) {name}\?$", rf"\1 {reference.subject}?", text)
    text = re.sub(
        rf"\b(where|that|which) {name}(?!\w)(?: ([a-z]+))?", partial(_relative_clause, reference=reference), text
    )
    text = re.sub(rf"^{name}(?!\w)", reference.subject.capitalize(), text)
    if reference.object in _ABSOLUTE_POSSESSIVES:  # a student of his
        text = re.sub(rf"\b([Aa]n? [\w -]+ of) {name}(?!\w)", rf"\1 {_ABSOLUTE_POSSESSIVES[reference.object]}", text)
    text = re.sub(rf"(?<!\w){name}(?!\w)", reference.object, text)
    text = re.sub(r"\b(\w+) (out|up|off) (it|them|her|him)\?$", r"\1 \3 \2?", text)  # carried it out
    text = re.sub(r"\b(has|have|belongs? to) the ([\w -]+) it\?$", r"\1 that \2?", text)
    return text[:1].upper() + text[1:] + ("" if text.endswith("?") else "?")
