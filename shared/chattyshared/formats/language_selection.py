"""Which language of a file in several languages is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.errors import ConfigError


@dataclass(frozen=True, slots=True)
class LanguageSelection:
    """The tag that is read, as the file writes it most often, and the questions' texts; empty where one has none."""

    lang: str
    texts: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of it: how many questions are left out."""
        missing = self.texts.count("")
        return (f"questions that are not in the language {self.lang!r}, left out: {missing}",) if missing else ()


def select_language(texts: Sequence[Mapping[str, str]], language: str, file: str) -> LanguageSelection:
    """Choose one language; ``texts`` holds each question's wordings by language tag.

    ``wanted`` may leave out a region (``pt`` reads ``pt_BR``); empty, it is English, or what most questions are in.

    Raises:
        ConfigError: no question is in the language wanted; says which languages there are.
    """
    tags = Counter(tag for wordings in texts for tag, text in wordings.items() if text)
    if not tags:
        raise ConfigError(f"{file}: no question has a text")
    known = [tag for tag, _ in tags.most_common()]
    lang = language or (matching_tags("en", known) and "en") or known[0]
    found = matching_tags(lang, known)
    if not found:
        raise ConfigError(f"{file}: no question is in the language {language!r}; there are {', '.join(sorted(tags))}")
    return LanguageSelection(
        found[0], tuple(next((each[tag] for tag in found if each.get(tag)), "") for each in texts)
    )  # fmt: skip


def matching_tags(language: str, tags: Iterable[str]) -> list[str]:
    """Return the tags that a language may be read from: itself, however it is written, else itself with a region."""
    plain = {tag: tag.replace("_", "-").casefold() for tag in tags}
    asked = language.replace("_", "-").casefold()
    return [tag for tag, said in plain.items() if said == asked] or [
        tag for tag, said in plain.items() if said.startswith(f"{asked}-")
    ]
