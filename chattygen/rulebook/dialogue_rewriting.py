"""The rule model's answer to ``generate/dialogue``: names become references, possessives stay English."""

from __future__ import annotations

import re
from functools import partial
from random import Random
from typing import Any

from chattyshared.language.inflection import lemmatize_verb, third_person
from chattyshared.model import Request

from chattygen.rulebook.referring_expressions import ReferringExpression, choose_reference
from chattygen.stages.dialogues import DraftTurn

_OWNS_ALONE = {"him": "his", "her": "hers", "them": "theirs"}
_BEFORE_SUBJECT = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)"


def rewrite_dialogue(request: Request) -> dict[str, Any]:
    """Rewrite every turn after the first."""
    drafts: tuple[DraftTurn, ...] = request.variables["turns"]
    turns = []
    for place, draft in enumerate(drafts[1:], 1):
        chance = Random(f"{request.digest()}/{draft.number}")
        found = choose_reference(draft, drafts[:place], chance)
        text = replace_name(draft.question, draft.entity.label, found)
        if (
            draft.link == "topic"
            and chance.random() < 0.12
            and text.startswith(("What ", "Who ", "When ", "Where ", "How "))
        ):
            text = f"And {text[:1].lower()}{text[1:]}"
        turns.append({"turn": draft.number, "question": text})
    return {"turns": turns}


def _agreeing(match: re.Match[str], many: str) -> str:
    return f"{many if match[1] else many.capitalize()} "


def _whose(match: re.Match[str], found: ReferringExpression) -> str:
    be = {"is": "are", "was": "were"}[match[2]] if found.is_plural else match[2]
    return f"{match[1]} {be} {found.subject}?"


def _clause(match: re.Match[str], found: ReferringExpression) -> str:
    """Put the reference as the subject of a relative clause: ``the city where he was born``."""
    verb = match[2] or ""
    word = verb.strip()
    if (
        found.is_plural
        and word.endswith("s")
        and third_person(lemmatize_verb(word)) == word
        and word not in ("is", "has", "does")
    ):
        return f"{match[1]} {found.subject} {lemmatize_verb(word)}"
    many = {" is": " are", " was": " were", " has": " have", " does": " do"}
    return f"{match[1]} {found.subject}{many.get(verb, verb) if found.is_plural else verb}"


def _owning(question: str, name: str, found: ReferringExpression) -> str:
    """Put the reference where the name owns something: ``its color``; ``the color of the second one``."""
    mark = r"(?:'s|'(?!\w)|’s)"
    if found.is_long:
        text = re.sub(rf"{name}{mark} ([\w -]+?)(?=\?|, | in | on | is | was )", rf"the \1 of {found.object}", question)
        return re.sub(rf"{name}{mark}", found.possessive, text)
    text = re.sub(rf"{name}{mark}", found.possessive, question)
    return re.sub(
        rf"\bthe ((?:(?!\bof\b)[^?,])+?(?: of (?!the )\w+)?) of {name}(?!\w)", rf"{found.possessive} \1", text
    )


def _singular(question: str, label: str, name: str) -> str:
    """Take the plural verb of a plural name (``The Beatles``) back, so that what refers to it may be one thing."""
    if not (label.casefold().startswith("the ") and label.casefold().endswith("s")):
        return question
    for one, many in (("is", "are"), ("was", "were"), ("does", "do"), ("has", "have")):
        question = re.sub(rf"\b{many} (?={name}(?![\w'’]))", f"{one} ", question)
        question = re.sub(rf"^{many.capitalize()} (?={name}(?![\w'’]))", f"{one.capitalize()} ", question)
    return question


def replace_name(question: str, label: str, found: ReferringExpression) -> str:
    """Put a reference in the place of a name: possessives first, then subjects, then all other places."""
    name = rf"(?:\b[Tt]he )?{re.escape(label)}" if not label.casefold().startswith("the ") else re.escape(label)
    name = rf'(?:"{re.escape(label)}"|{name})' if label.endswith(("?", "!")) else name
    text = _owning(_singular(question, label, name), name, found)
    if found.is_plural:
        for one, many in (("is", "are"), ("was", "were"), ("does", "do"), ("has", "have")):
            pattern = rf"\b(?:({one})|{one.capitalize()}) (?={name}(?!\w)(?! as ))"
            text = re.sub(pattern, partial(_agreeing, many=many), text)
    text = re.sub(rf"^(Whose [\w -]+?) (is|was) {name}\?$", lambda m: _whose(m, found), text)
    text = re.sub(
        rf"\b({_BEFORE_SUBJECT}) {name}(?!\w)(?!\s*\?)(?! as )", rf"\1 {found.subject}", text, flags=re.IGNORECASE
    )
    text = re.sub(rf"\b(is|are|was|were) {name}\?$", rf"\1 {found.subject}?", text)
    text = re.sub(rf"\b(where|that|which) {name}(?!\w)( [a-z]+)?", partial(_clause, found=found), text)
    text = re.sub(rf"^{name}(?!\w)", found.subject.capitalize(), text)
    if found.object in _OWNS_ALONE:  # a student of his
        text = re.sub(rf"\b([Aa]n? [\w -]+ of) {name}(?!\w)", rf"\1 {_OWNS_ALONE[found.object]}", text)
    text = re.sub(rf"(?<!\w){name}(?!\w)", found.object, text)
    return text[:1].upper() + text[1:] + ("" if text.endswith("?") else "?")
