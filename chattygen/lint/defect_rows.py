"""The rows of ``question_defects.toml``: regular expressions for what is wrong with questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from string import Template

from chattyshared.language.lexicon import alternation, load_lexicon, word_lists

DEFECTS = load_lexicon("question_defects")


@cache
def _alternatives() -> Mapping[str, str]:
    """Return the expressions that stand for the names in rows: lists of words, and parts that use them."""
    files = [load_lexicon(name) for name in ("function_words", "verbs", "nouns", "abbreviations")]
    words = {key: alternation(map(str, value)) for file in files for key, value in file.items() if type(value) is list}
    forms = word_lists("verbs", "irregular").values()
    words["past_forms"] = alternation({past for past, participle in forms if past != participle})
    return words | {name: Template(text).safe_substitute(words) for name, text in DEFECTS["parts"].items()}


@cache
def compile_row(text: str) -> re.Pattern[str]:
    """Return the regular expression of a row, with the alternatives that it names; letter case does not count."""
    return re.compile(Template(text).safe_substitute(_alternatives()), re.IGNORECASE)
