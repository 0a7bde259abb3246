"""What one dialogue of a run shall ask, as it was dealt to its place before anything is known of its seed."""

from __future__ import annotations

from dataclasses import dataclass

SET_FORMS = ("superlative", "filter", "conjunction", "negation")
"""Forms that pick from a set."""


@dataclass(frozen=True, slots=True)
class Want:
    """One turn that is wanted: its form (or ``shift``, ``position``), and the truth of a yes-no question.

    ``polar``: a comparison is asked as a yes-no question.
    """

    form: str
    truth: bool = True
    polar: bool = False


@dataclass(frozen=True, slots=True)
class Deal:
    """The wants of one dialogue, and how many of its turns shall hang on an earlier answer."""

    wants: tuple[Want, ...] = ()
    chained: int = 0

    def of(self, *forms: str) -> tuple[Want, ...]:
        """Return the wants of these forms."""
        return tuple(want for want in self.wants if want.form in forms)

    @property
    def needs_set(self) -> bool:
        """Whether some want picks from a list, or counts along its order."""
        return bool(self.of(*SET_FORMS, "position"))
