"""Selection of one language of a multilingual file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.errors import ConfigError


@dataclass(frozen=True, slots=True)
class LanguageSelection:
    """The selected tag in its most frequent spelling, and the text of each question; empty if it has none."""

    lang: str
    texts: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence on the number of questions that are left out, if there are any."""
        missing = self.texts.count("")
        return (f"questions that are not in the language {self.lang!r}, left out: {missing}",) if missing else ()


def select_language(texts: Sequence[Mapping[str, str]], language: str, file: str) -> LanguageSelection:
    """Select one language; ``texts`` holds each question's wordings by language tag.

    ``language`` may omit the region (``pt`` selects ``pt_BR``); empty means English, else the most frequent language.

    Raises:
        ConfigError: no question is in this language; the message lists the languages.
    """
    tags = Counter(tag for wordings in texts for tag, text in wordings.items() if text)
    if not tags:
        raise ConfigError(f"{file}: no question has a text")
    by_frequency = [tag for tag, _ in tags.most_common()]
    lang = language or (matching_tags("en", by_frequency) and "en") or by_frequency[0]
    matching = matching_tags(lang, by_frequency)
    if not matching:
        raise ConfigError(f"{file}: no question is in the language {language!r}; there are {', '.join(sorted(tags))}")
    return LanguageSelection(
        matching[0], tuple(next((each[tag] for tag in matching if each.get(tag)), "") for each in texts)
    )  # fmt: skip


def matching_tags(language: str, tags: Iterable[str]) -> list[str]:
    """Return the tags of a language: the same tag in any spelling, else its tags with a region."""
    normalized_tags = {tag: tag.replace("_", "-").casefold() for tag in tags}
    normalized_language = language.replace("_", "-").casefold()
    return [tag for tag, normalized in normalized_tags.items() if normalized == normalized_language] or [
        tag for tag, normalized in normalized_tags.items() if normalized.startswith(f"{normalized_language}-")
    ]
