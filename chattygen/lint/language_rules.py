"""The rules for the words of questions that hold in any language: marks, markup, names, and leaked answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.language.scripts import known_languages

from chattygen.checks import check_answers_hidden, check_well_formed
from chattygen.dialogue_language import DialogueLanguage, primary_subtag
from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.kg_facts import KGFacts


def language_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge the words of each turn by what its language prescribes; an unknown language prescribes nothing."""
    tag = primary_subtag(dialogue.lang)
    if tag not in {language.tag for language in known_languages()}:
        return
    language = DialogueLanguage(tag)
    for turn in dialogue.turns:
        for text in dict.fromkeys(text for text in (turn.question, turn.standalone) if text.strip()):
            for problem in check_well_formed(text, language):
                yield Finding("wording", problem.sentence, turn=turn.number)
        yield from _unnamed_seed(dialogue, turn, language)
        if not (turn.is_polar or turn.query.counted_variables or turn.form == "comparison"):
            for problem in check_answers_hidden(turn.standalone, turn.answer_texts):
                yield Finding("answer-in-question", problem.sentence, turn=turn.number)
    for text, times in Counter(turn.question.casefold() for turn in dialogue.turns).items():
        if times > 1:
            yield Finding("wording", f'{times} turns read the same: "{text}"')


def _unnamed_seed(dialogue: DialogueView, turn: TurnView, language: DialogueLanguage) -> Iterator[Finding]:
    """A standalone question names the dialogue's entity if its query does."""
    label = dialogue.seed.label
    if (
        label
        and dialogue.seed.iri in dialogue.iris_to_name(turn)
        and not language.contains_name(turn.standalone, label)
    ):
        yield Finding("not-standalone", f'does not name "{label}": "{turn.standalone}"', turn=turn.number)
