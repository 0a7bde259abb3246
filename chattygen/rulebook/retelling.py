"""The rule model's answer to ``generate/dialogue``: names become references, possessives stay English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from chattyshared.model import Request

from chattygen.dialogues import Draft
from chattygen.facts import Entity
from chattygen.rulebook.words import head, mean_person, plain, possessive, singular

_PREPOSITION = r"(?:at|in|on|from|to|through|with|into)"
_BEFORE_SUBJECT = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)"


@dataclass(frozen=True, slots=True)
class Reference:
    """How to speak of a thing that was named before: as subject, as object, as owner; ``several`` for they."""

    subject: str
    object: str
    owner: str
    several: bool = False


def dialogue(request: Request) -> dict[str, Any]:
    """Rewrite every turn after the first."""
    drafts: tuple[Draft, ...] = request.variables["turns"]
    turns = []
    for place, draft in enumerate(drafts[1:], 1):
        chance = Random(f"{request.digest()}/{draft.number}")
        found = reference(draft, drafts[:place], chance)
        text = retold(draft.question, draft.entity.label, found)
        if (
            draft.link == "topic"
            and chance.random() < 0.12
            and text.startswith(("What ", "Who ", "When ", "Where ", "How "))
        ):
            text = f"And {text[:1].lower()}{text[1:]}"
        turns.append({"turn": draft.number, "question": text})
    return {"turns": turns}


def reference(draft: Draft, before: tuple[Draft, ...], chance: Random) -> Reference:
    """Choose a reference: a pronoun by stated gender, else ``it``; the kind where a pronoun could mislead."""
    entity = draft.entity
    noun = kind(entity)
    fresh = draft.link == "answer" and before[-1].link != "answer"
    others = {one.entity.iri: kind(one.entity) for one in before if one.entity.iri != entity.iri}
    taken = {*others.values(), *(singular(plain(label)) for label in draft.unlike)}
    by_noun = Reference(f"the {noun}", f"the {noun}", possessive(f"the {noun}"))
    by_that = Reference(f"that {noun}", f"that {noun}", possessive(f"that {noun}"))
    rivals = _same_pronoun(draft, before)
    if entity.gender and not (fresh and rivals):
        return _GENDERED[entity.gender]
    if fresh and rivals:
        return by_that
    after_preposition = re.search(rf"\b{_PREPOSITION} (?:the )?{re.escape(entity.label)}(?!\w)", draft.question)
    told_already = re.search(rf"\b{re.escape(noun)}\b", draft.question.replace(entity.label, "").lower())
    apart = noun not in taken and noun != "thing" and not told_already
    if apart and (draft.unlike or (after_preposition and not mean_person(entity.kinds))):
        return by_noun
    if apart and chance.random() < 0.4:
        return by_noun
    if entity.gender:
        return _GENDERED[entity.gender]
    return _THEY if mean_person(entity.kinds) else _IT


def _same_pronoun(draft: Draft, before: tuple[Draft, ...]) -> bool:
    """Tell whether the pronoun of this turn's entity was just used for another one."""
    other = before[-1].entity
    if other.iri == draft.entity.iri:
        return False
    return (other.gender, mean_person(other.kinds)) == (draft.entity.gender, mean_person(draft.entity.kinds))


_IT = Reference("it", "it", "its")
_THEY = Reference("they", "them", "their", several=True)
_GENDERED = {"female": Reference("she", "her", "her"), "male": Reference("he", "him", "his")}


def _agreeing(match: re.Match[str], many: str) -> str:
    return f"{many if match[1] else many.capitalize()} "


def _whose(match: re.Match[str], found: Reference) -> str:
    be = {"is": "are", "was": "were"}[match[2]] if found.several else match[2]
    return f"{match[1]} {be} {found.subject}?"


def _clause(match: re.Match[str], found: Reference) -> str:
    """Put the reference as the subject of a relative clause: ``the city where he was born``."""
    verb = match[2] or ""
    many = {" is": " are", " was": " were", " has": " have", " does": " do"}
    return f"{match[1]} {found.subject}{many[verb] if verb and found.several else verb}"


def kind(entity: Entity) -> str:
    """Return the noun by which an entity can be called: the head of its class's label where that is long."""
    noun = singular(plain(entity.noun)) if entity.noun else "thing"
    return noun if len(noun.split()) <= 2 else head(noun)


def retold(question: str, label: str, found: Reference) -> str:
    """Put a reference in the place of a name: possessives first, then subjects, then all other places."""
    name = rf"(?:\b[Tt]he )?{re.escape(label)}" if not label.casefold().startswith("the ") else re.escape(label)
    text = re.sub(rf"{name}(?:'s|'(?!\w)|’s)", found.owner, question)
    text = re.sub(rf"\bthe ((?:(?!\bof\b)[^?,])+?(?: of (?!the )\w+)?) of {name}(?!\w)", rf"{found.owner} \1", text)
    if found.several:
        for one, many in (("is", "are"), ("was", "were"), ("does", "do"), ("has", "have")):
            pattern = rf"\b(?:({one})|{one.capitalize()}) (?={name}(?!\w)(?!\s*\?))"
            text = re.sub(pattern, partial(_agreeing, many=many), text)
    text = re.sub(rf"^(Whose [\w -]+?) (is|was) {name}\?$", lambda m: _whose(m, found), text)
    text = re.sub(
        rf"\b({_BEFORE_SUBJECT}) {name}(?!\w)(?!\s*\?)(?! as )", rf"\1 {found.subject}", text, flags=re.IGNORECASE
    )
    text = re.sub(rf"\b(where|that|which) {name}(?!\w)( (?:is|was|has|does))?", partial(_clause, found=found), text)
    text = re.sub(rf"^{name}(?!\w)", found.subject.capitalize(), text)
    text = re.sub(rf"(?<!\w){name}(?!\w)", found.object, text)
    return text[:1].upper() + text[1:] + ("" if text.endswith("?") else "?")
