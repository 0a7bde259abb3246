"""From settings as a command line has read them to the options of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from chattyshared.dialogue import FORMS
from chattyshared.errors import ConfigError
from chattyshared.option_specs import did_you_mean
from chattyshared.question_forms import LOOKUP, UNANSWERABLE

from chattygen.options import Options, complete_mix
from chattygen.sampling.popularity import BANDS
from chattygen.sampling.seed_files import read_seeds

MIX_FORMS = (*FORMS, LOOKUP, UNANSWERABLE)
"""What ``--mix`` may name."""
_MOST = 100 + 1e-6
"""Percent that shares may sum to, thirds written out with decimals as well."""


def parse_options(cli_options: Mapping[str, Any]) -> Options:
    """Return the options that settings (by name, as the command line has read them) and ``workers`` come to.

    Raises:
        ConfigError: two of them contradict each other, a form or band is unknown, a share is no number, or the file of
            seeds cannot be read.
    """
    seeds = read_seeds(cli_options["seeds"]) if cli_options.get("seeds") else ()
    plain = {
        field.name: cli_options[field.name]
        for field in fields(Options)
        if cli_options.get(field.name) not in (None, ())
    }
    made = {
        **plain,
        "seeds": seeds,
        "dialogues": cli_options.get("dialogues") or len(seeds) or Options().dialogues,
        "domains": tuple(cli_options.get("domain", ())),
        "types": tuple(cli_options.get("type", ())),
        "no_types": tuple(cli_options.get("no_type", ())),
        "blocked": tuple(cli_options.get("block", ())),
        "popularity": parse_popularity(cli_options.get("popularity") or ""),
        "mix": parse_mix(cli_options.get("mix", ())),
        "lang": (cli_options.get("lang") or "").casefold(),
    }
    options = Options(**made)
    _agree(options, cli_options)
    return options


def parse_mix(texts: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Return the shares of the forms in percent, from texts such as ``count=20``; see ``options.mixed``.

    Raises:
        ConfigError: a form is unknown, stands twice, or its share is no number from 0 on; all shares are 0, or they
            come to more than 100.
    """
    return complete_mix(_shares(texts, MIX_FORMS, "--mix", "form"))


def parse_popularity(text: str) -> tuple[tuple[str, float], ...]:
    """Return the shares of head, torso and tail, which sum to 1, from a text such as ``head=1,tail=3``; or nothing.

    Raises:
        ConfigError: a band is unknown, stands twice, or its share is no number from 0 on; all shares are 0, they come
            to more than 100, or one band alone has less.
    """
    if not text:
        return ()
    shares = _shares(text.split(","), BANDS, "--popularity", "band")
    total = sum(shares.values())
    if not total:
        raise ConfigError("--popularity: the shares are all 0")
    if len(shares) == 1 and total < 100:  # noqa: PLR2004
        band, share = next(iter(shares.items()))
        raise ConfigError(f"--popularity: {band}={share:g} leaves the other bands open: name them too, or {band}=100")
    return tuple((band, shares[band] / total) for band in BANDS if shares.get(band))


def _shares(given: Iterable[str], known: tuple[str, ...], flag: str, kind: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in given:
        name, mark, share = (part.strip() for part in text.partition("="))
        if name not in known:
            raise ConfigError(f"{flag}: unknown {kind} {name!r}{did_you_mean(name, known, list_known=True)}")
        if name in found:
            raise ConfigError(f"{flag}: {name} is given twice")
        number = share.removesuffix("%").strip()
        if not mark or not number.replace(".", "", 1).isdecimal():
            raise ConfigError(f"{flag}: {text!r} is not of the form {name}=20, with a share from 0 on")
        found[name] = float(number)
    if sum(found.values()) > _MOST:
        raise ConfigError(f"{flag}: the shares are percents, and come to {sum(found.values()):g}, more than 100")
    return found


def _agree(options: Options, given: Mapping[str, Any]) -> None:
    """Refuse what contradicts itself.

    Raises:
        ConfigError: two options do.
    """
    if options.min_triples > options.max_triples:
        raise ConfigError(f"--min-triples {options.min_triples} is more than --max-triples {options.max_triples}")
    if options.shape == "chain" and options.hops == 1:
        raise ConfigError("--shape chain leads two steps far: it needs --hops 2")
    for name in ("popularity", "type", "no_type", "domain"):
        if options.seeds and given.get(name):
            raise ConfigError(f"--seeds names the entities: --{name.replace('_', '-')} has nothing to choose from")


def input_files(options: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the files that the options read."""
    return (options["seeds"],) if options.get("seeds") else ()
