"""The verbalizer agent: an answer as a sentence, by a language model or by a template.

Source: Chatty-KG, equation 1: the answer in natural language is made from the question and the answer set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, Value
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.language.languages import ENGLISH, language_of_tag
from chattyshared.language.lexicon import load_lexicon
from chattyshared.model import LanguageModel
from chattyshared.text import join_texts

from chattykg.conversation.language_id import language_name
from chattykg.strategies import find_model_strategy

MAX_NAMED_ANSWERS = 10
"""Answers that a sentence names; a longer list adds the number of the others."""
_MAX_NAME_CHARACTERS = 200
_OPPOSITES = {"yes": "no", "no": "yes"}
_FIRST_WORD = re.compile(r"\W*(\w*)")
_DIGITS, _GROUP_MARK = re.compile(r"\d+"), re.compile(r"(?<=\d),(?=\d{3}\b)")


def check_named_answers(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the sentence contains the shown answers unchanged, and no number besides."""
    sentence, answers, count = reply["sentence"].casefold(), variables["answers"], int(variables["count"])
    for name in answers:
        if name in _OPPOSITES:
            if _FIRST_WORD.findall(sentence)[0] == _OPPOSITES[name]:
                yield Problem("names", f"Begin with {name}: that is the answer.")
        elif name.casefold() not in sentence:
            yield Problem("names", f'Name "{name}", as it stands.')
    known = _numbers(" ".join((variables["question"], *answers, f"{count} {count - len(answers)}")))
    if added := _numbers(sentence) - known:
        yield Problem("numbers", f"The number {min(added)} stands neither in the question nor in the answers.")


def _numbers(text: str) -> set[str]:
    """Return the runs of digits in a text without leading zeros, groups of thousands as one."""
    return {run.lstrip("0") or "0" for run in _DIGITS.findall(_GROUP_MARK.sub("", text))}


AGENT = load_agent("answer/verbalizer", check_named_answers)


def verbalize_answer(question: str, answer: Answer, model: LanguageModel, language_tag: str = "") -> str:
    """Return an answer as a sentence; the template replaces a model that is not promptable or gives no usable reply.

    ``language_tag`` is the language of the sentence; "": that of the question.

    Raises:
        ModelError: the model cannot be reached.
    """
    if not answer.values or not find_model_strategy(model.name).is_promptable:
        return verbalize_by_template(answer, language_tag)
    names = tuple(_value_text(value) for value in answer.values[:MAX_NAMED_ANSWERS])
    language = language_name(language_tag) if language_tag else "the language of the question"
    variables = {"question": question, "count": str(len(answer.values)), "answers": names, "language": language}
    try:
        sentence: str = AGENT(model, variables).value["sentence"]
    except (ReplyInvalid, ModelRefused, ContextTooLong):
        return verbalize_by_template(answer, language_tag)
    return sentence


def verbalize_by_template(answer: Answer, language_tag: str = "") -> str:
    """Return an answer without a model, as people answer: yes or no, the names, or the number of rows.

    ``language_tag`` is the language of what stands around the names.
    """
    if not answer.values:
        return answer.explanation
    rows = load_lexicon("query_phrases", (language_of_tag(language_tag) or ENGLISH).name)
    said: Mapping[str, str] = rows["answer"]
    if answer.values[0].kind == "boolean":
        return said[answer.values[0].value]
    if len(answer.rows) > 1:
        return said["rows"].format(count=f"{len(answer.rows):,}")
    if len(answer.values) == 1:
        return answer.values[0].text  # a long text is the answer, no name
    names = [_value_text(value) for value in answer.values[:MAX_NAMED_ANSWERS]]
    unnamed_count = len(answer.values) - len(names)
    if unnamed_count:
        return said["more"].format(names=", ".join(names), count=f"{unnamed_count:,}")
    return join_texts(names, rows["and"])


def _value_text(value: Value) -> str:
    return " ".join(value.text.split())[:_MAX_NAME_CHARACTERS]
