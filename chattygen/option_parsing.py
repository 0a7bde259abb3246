"""Option parsing: from the values of the command line to the options of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec, check_value, did_you_mean
from chattyshared.popularity import BANDS
from chattyshared.question_forms import LOOKUP, UNANSWERABLE
from chattyshared.terms import is_iri

from chattygen.dialogue_language import find_language
from chattygen.form_registry import all_forms
from chattygen.options import OPTION_SPECS, Options, complete_mix
from chattygen.sampling.seeds import read_seeds

_MAX_PERCENT = 100 + 1e-6
"""The most percent that shares can sum to, with a tolerance for thirds written as decimals."""


def parse_options(cli_options: Mapping[str, Any]) -> Options:
    """Return the options of a run from the values of the command line by name, ``workers`` included.

    Raises:
        ConfigError: two values contradict each other, a form or band is unknown, a share is no number, or the file of
            seeds cannot be read.
    """
    seeds = read_seeds(cli_options["seeds"]) if cli_options.get("seeds") else ()
    given = {name: cli_options.get(spec.name) for name, spec in OPTION_SPECS.items()}
    values = {
        **{name: value for name, value in given.items() if value not in (None, ())},
        "seeds": seeds,
        "dialogues": cli_options.get("dialogues") or len(seeds) or Options().dialogues,
        "popularity": parse_popularity(cli_options.get("popularity") or ""),
        "mix": parse_mix(cli_options.get("mix", ())),
        "lang": tuple(dict.fromkeys(tag.casefold() for tag in cli_options.get("lang") or ())),
    }
    options = Options(**values)
    _refuse_contradictions(options, cli_options)
    return options


def make_options(dialogues: int | None, values: Mapping[str, Any]) -> Options:
    """Return the options of a run from those that a Python caller names by the fields of ``Options``.

    ``mix`` and ``popularity`` may be mappings of shares; ``seeds`` is a file of entities, or their IRIs.

    Raises:
        ConfigError: a field is unknown, has another type or is out of range; or as ``parse_options`` does.
    """
    names = tuple(field.name for field in fields(Options) if field.name != "dialogues")
    if unknown := [name for name in values if name not in names]:
        raise ConfigError(f"unknown option {unknown[0]!r}{did_you_mean(unknown[0], names, list_known=True)}")
    given = {name: value for name, value in {**values, "dialogues": dialogues}.items() if value is not None}
    cli_options = {
        spec.name: _check_given(spec, given[name])
        for name, spec in OPTION_SPECS.items()
        if name in given and name != "seeds"
    }
    seeds = _given_seeds(given.get("seeds", ()))
    options = parse_options({**cli_options, "dialogues": cli_options.get("dialogues") or len(seeds)})
    options = replace(options, seeds=seeds)
    _refuse_contradictions(options, cli_options)
    return options


def _check_given(spec: OptionSpec, value: Any) -> Any:
    """Return a checked value as the command line states it."""
    if isinstance(value, Mapping):
        texts = tuple(f"{name}={share}" for name, share in value.items())
        return texts if spec.is_repeatable else ",".join(texts)
    is_several = spec.is_repeatable and isinstance(value, Iterable) and not isinstance(value, str)
    values = tuple(value) if is_several else (value,)
    for each in values:
        check_value(spec, each)
    return values if spec.is_repeatable else value


def _given_seeds(seeds: object) -> tuple[str, ...]:
    if isinstance(seeds, str | os.PathLike):
        return read_seeds(Path(seeds))
    iris = tuple(dict.fromkeys(str(iri) for iri in seeds)) if isinstance(seeds, Iterable) else (repr(seeds),)
    if wrong := [iri for iri in iris if not is_iri(iri)]:
        raise ConfigError(
            f"seeds: {wrong[0]:.100} is no IRI (seeds are IRIs, or the path of a file with a line for each)"
        )
    return iris


def parse_mix(texts: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Return the shares of the forms in percent, from texts like ``count=20``; see ``complete_mix``.

    Raises:
        ConfigError: a form is unknown, is named twice, or its share is no number from 0; all shares are 0, or they
            sum to more than 100.
    """
    return complete_mix(_shares(texts, (*all_forms(), LOOKUP, UNANSWERABLE), "--mix", "form"))


def parse_popularity(text: str) -> tuple[tuple[str, float], ...]:
    """Return the shares of head, torso and tail, which sum to 1, from a text like ``head=1,tail=3``; empty if it is.

    Raises:
        ConfigError: a band is unknown, is named twice, or its share is no number from 0; all shares are 0, they sum
            to more than 100, or a single band has less.
    """
    if not text:
        return ()
    shares = _shares(text.split(","), BANDS, "popularity", "band")
    total = sum(shares.values())
    if not total:
        raise ConfigError("popularity: the shares are all 0")
    if len(shares) == 1 and total < 100:  # noqa: PLR2004
        band, share = next(iter(shares.items()))
        raise ConfigError(f"popularity: {band}={share:g} leaves the other bands open: name them too, or {band}=100")
    return tuple((band, shares[band] / total) for band in BANDS if shares.get(band))


def _shares(texts: Iterable[str], known: tuple[str, ...], flag: str, kind: str) -> dict[str, float]:
    """Return the shares in percent by name."""
    shares: dict[str, float] = {}
    for text in texts:
        name, mark, share = (part.strip() for part in text.partition("="))
        if name not in known:
            raise ConfigError(f"{flag}: unknown {kind} {name!r}{did_you_mean(name, known, list_known=True)}")
        if name in shares:
            raise ConfigError(f"{flag}: {name} is given twice")
        number = share.removesuffix("%").strip()
        if not mark or not number.replace(".", "", 1).isdecimal():
            raise ConfigError(f"{flag}: {text!r} is not of the form {name}=20, with a share from 0 on")
        shares[name] = float(number)
    if sum(shares.values()) > _MAX_PERCENT:
        raise ConfigError(f"{flag}: the shares are percents, and come to {sum(shares.values()):g}, more than 100")
    return shares


def _refuse_contradictions(options: Options, cli_options: Mapping[str, Any]) -> None:
    """Refuse options that contradict each other.

    Raises:
        ConfigError: two options contradict each other, or a language is unknown.
    """
    if options.min_triples > options.max_triples:
        raise ConfigError(f"min_triples={options.min_triples} is more than max_triples={options.max_triples}")
    if options.shape == "chain" and options.hops == 1:
        raise ConfigError("shape=chain leads two steps far: it needs hops=2")
    if cli_options.get("rare") and options.quota == "balanced":
        raise ConfigError("rare drops small classes, which balanced quotas keep: it needs quota=proportional")
    for tag in options.lang:
        find_language(tag)
    for name in ("popularity", "type", "no_type", "domain"):
        if options.seeds and cli_options.get(name):
            raise ConfigError(f"--seeds names the entities: {name} has nothing to choose from")


def input_files(options: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the files that the options read."""
    return (options["seeds"],) if options.get("seeds") else ()
