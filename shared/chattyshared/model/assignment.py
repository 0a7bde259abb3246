"""Which model does what: ``MODEL`` for all, ``PLACE=MODEL`` for one stage or agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chattyshared.errors import ConfigError
from chattyshared.option_specs import did_you_mean


def parse_model_assignments(
    specs: Iterable[str], targets: Sequence[str], kind: str = "stage"
) -> tuple[str, Mapping[str, str]]:
    """Read what ``--model`` says: the spec for all places that are not named (``rules`` unless said), and the others.

    ``kind`` is what a place is called in messages: ``stage`` or ``agent``.

    Raises:
        ConfigError: a place is unknown or named twice, or two models are for all.
    """
    named: dict[str, str] = {}
    for spec in specs:
        place, mark, model = spec.partition("=")
        if not mark or ":" in place:
            place, model = "", spec
        elif place not in targets:
            raise ConfigError(f"--model: unknown {kind} {place!r}{did_you_mean(place, targets, list_known=True)}")
        if place in named:
            raise ConfigError(f"--model: two models for {place or f'all {kind}s'}")
        named[place] = model
    return named.pop("", "rules"), named
