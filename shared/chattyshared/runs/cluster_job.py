"""The job that goes to the workers of a cluster: plain option values, absolute paths, no secrets."""

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

LOCAL_OPTIONS = frozenset("output overwrite trace json scheduler benchmark questions tell seeds".split())
"""Options that workers do not need, since they write no files."""
LANGUAGE_PACKAGES = ("inflect", "simplemma")
"""Packages whose version can change the rule model's replies."""
_URL = re.compile(r"https?://\S+")
_FILE = re.compile(r"((?:.*=)?(?:replay|file):)(.+)", flags=re.DOTALL)
_DEMO = "demo"


def make_job(
    opener: str, options: Mapping[str, Any], stamp: Mapping[str, str], secrets: Iterable[str] = ()
) -> WorkerJob:
    """Return the job of one run: what ``opener`` opens from a command's options, and the stamp that it must have.

    Paths become absolute: the workers read the same files at the same paths. ``secrets`` are texts, for example keys,
    that must not leave this process.

    Raises:
        ConfigError: an option holds a secret.
    """
    job_options = {name: _for_worker(name, value) for name, value in options.items() if name not in LOCAL_OPTIONS}
    for name, value in job_options.items():
        for text in _texts(value):
            _refuse_secrets(name, text, secrets)
    return WorkerJob(f"chatty-{uuid4().hex[:12]}", opener, job_options, stamp)


def open_cluster_runner(  # noqa: PLR0913
    cluster: DaskCluster | None,
    opener: str,
    options: Mapping[str, Any],
    kg: KnowledgeGraph | None,
    meter: Meter | None,
    secrets: Iterable[str],
    engine: Mapping[str, Any] | None = None,
) -> Runner | None:
    """Return a runner for the cluster, whose workers use what ``opener`` opens; ``meter`` counts their spending.

    ``engine`` is the manifest entry of the engine, which must be the same there. Without a cluster, return None.

    Raises:
        ConfigError: an option holds a secret.
        EndpointError: the KG's endpoint does not answer.
    """
    if cluster is None:
        return None
    return cluster.make_runner(
        make_job(opener, options, job_stamp(kg, engine), secrets), meter.add_spending if meter else lambda _: None
    )


def job_stamp(kg: KnowledgeGraph | None, engine: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return everything that affects results and can differ between machines: graph, profile, prompts, program
    versions, and the manifest entry of the engine.

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    return {
        **({"graph": f"{kg.name} ({kg.fingerprint()})", "graph's profile": kg.profile.digest} if kg else {}),
        **{f"engine's {name}": str(text) for name, text in (engine or {}).items()},
        "prompts' digest": _prompts_digest(files("chattyprompts")),
        **{f"{name}'s version": text for name, text in program_versions(*LANGUAGE_PACKAGES).items()},
    }


def _prompts_digest(folder: Traversable) -> str:
    """Return the digest of all prompts and schemas."""
    digest = sha256()
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            digest.update(_prompts_digest(entry).encode())
        elif entry.name.endswith((".md", ".json")):
            digest.update(entry.name.encode() + entry.read_bytes())
    return digest.hexdigest()[:16]


def _for_worker(name: str, value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(_for_worker(name, item) for item in value)
    if isinstance(value, Path):
        return value.absolute()
    if not isinstance(value, str):
        return value
    if match := _FILE.fullmatch(value):
        return match[1] + str(Path(match[2]).absolute())
    is_file = name == "sources" and value != _DEMO and not _URL.match(value)
    return str(Path(value).absolute()) if is_file else value


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)


def _refuse_secrets(name: str, text: str, secrets: Iterable[str]) -> None:
    flag = f"--{ {'sources': 'kg', 'models': 'model'}.get(name, name).replace('_', '-') }"
    has_secret = any(secret in text for secret in secrets if len(secret) >= 8)
    for url in _URL.findall(text):
        address = parse_address(url)
        has_secret = has_secret or bool(address.user or address.password) or "***" in address.name
    if has_secret:
        raise ConfigError(
            f"{flag} holds a secret, which would travel to the scheduler: put it into the environment of the workers "
            "(CHATTY_KG_USER and CHATTY_KG_PASSWORD, CHATTY_KG_TOKEN, OPENAI_API_KEY)"
        )
