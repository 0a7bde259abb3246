"""What of a command's options goes to the workers of a cluster: plain values, whole paths, and nothing secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chattyshared.endpoint.address import parse_address
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.budget import Meter
from chattyshared.runs.manifest import program_versions
from chattyshared.runs.remote_worker import WorkerJob
from chattyshared.runs.runner import Runner

if TYPE_CHECKING:
    from chattyshared.runs.dask import DaskCluster

LOCAL_OPTIONS = frozenset("output overwrite trace json as_json runner scheduler benchmark questions tell seeds".split())
"""Options that are of no concern to a worker: it writes no file."""
LANGUAGE_PACKAGES = ("inflect", "simplemma")
"""Packages whose version can change the rule model's wording and reading."""
_URL = re.compile(r"https?://\S+")
_FILE = re.compile(r"((?:.*=)?(?:replay|file):)(.+)", flags=re.DOTALL)
_DEMO = "demo"


def make_job(
    opener: str, options: Mapping[str, Any], stamp: Mapping[str, str], secrets: Iterable[str] = ()
) -> WorkerJob:
    """Return the job of one run: what ``opener`` opens from a command's options, and what it must be made of.

    Paths become whole ones: the workers read the same files at the same places. ``secrets`` are texts, such as keys,
    that must not travel.

    Raises:
        ConfigError: an option holds a secret.
    """
    sent = {name: _sent(name, value) for name, value in options.items() if name not in LOCAL_OPTIONS}
    for name, value in sent.items():
        for text in _texts(value):
            _refuse_secrets(name, text, secrets)
    return WorkerJob(f"chatty-{uuid4().hex[:12]}", opener, sent, stamp)


def open_cluster_runner(  # noqa: PLR0913
    cluster: DaskCluster | None,
    opener: str,
    options: Mapping[str, Any],
    kg: KnowledgeGraph | None,
    meter: Meter | None,
    secrets: Iterable[str],
    engine: Mapping[str, Any] | None = None,
) -> Runner | None:
    """Return who works on a cluster, at what ``opener`` opens there; what they spend is counted by ``meter``.

    ``engine`` is what a manifest says of the engine, which must be the same there. Without a cluster it returns None.

    Raises:
        ConfigError: an option holds a secret, which would travel.
        EndpointError: the KG's endpoint does not answer.
    """
    if cluster is None:
        return None
    return cluster.make_runner(
        make_job(opener, options, job_stamp(kg, engine), secrets), meter.add_spending if meter else lambda _: None
    )


def job_stamp(kg: KnowledgeGraph | None, engine: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return what results are made of, as far as it could differ between machines: graph and its profile, prompts,
    programs, and what a manifest says of the engine (such as which sentence encoder is installed).

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    return {
        **({"graph": f"{kg.name} ({kg.fingerprint()})", "graph's profile": kg.profile.digest} if kg else {}),
        **{f"engine's {name}": str(said) for name, said in (engine or {}).items()},
        "prompts' digest": _digest(files("chattyprompts")),
        **{f"{name}'s version": said for name, said in program_versions(*LANGUAGE_PACKAGES).items()},
    }


def _digest(folder: Traversable) -> str:
    """Return the digest of all prompts and schemas."""
    found = sha256()
    for place in sorted(folder.iterdir(), key=lambda one: one.name):
        if place.is_dir():
            found.update(_digest(place).encode())
        elif place.name.endswith((".md", ".json")):
            found.update(place.name.encode() + place.read_bytes())
    return found.hexdigest()[:16]


def _sent(name: str, value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(_sent(name, one) for one in value)
    if isinstance(value, Path):
        return value.absolute()
    if not isinstance(value, str):
        return value
    if found := _FILE.fullmatch(value):
        return found[1] + str(Path(found[2]).absolute())
    is_file = (name == "sources" and value != _DEMO) or (name == "embeddings" and value not in ("auto", "off"))
    return str(Path(value).absolute()) if is_file and not _URL.match(value) else value


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one)


def _refuse_secrets(name: str, text: str, secrets: Iterable[str]) -> None:
    flag = f"--{ {'sources': 'kg', 'models': 'model'}.get(name, name).replace('_', '-') }"
    holds = any(secret in text for secret in secrets if len(secret) >= 8)
    for url in _URL.findall(text):
        known = parse_address(url)
        holds = holds or bool(known.user or known.password) or "***" in known.name
    if holds:
        raise ConfigError(
            f"{flag} holds a secret, which would travel to the scheduler: put it into the environment of the workers "
            "(CHATTY_KG_USER and CHATTY_KG_PASSWORD, CHATTY_KG_TOKEN, OPENAI_API_KEY)"
        )
