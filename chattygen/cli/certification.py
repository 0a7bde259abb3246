"""Certificates for ``chattygen audit``: the options, the second engine, the model, and the file that holds them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chattyshared.commands.inputs import restore_input_names
from chattyshared.errors import ConfigError
from chattyshared.option_specs import WORKERS_OPTION, OptionSpec

from chattygen.cli.options import open_reader

if TYPE_CHECKING:
    from chattyshared.formats.gold import GoldFile
    from chattyshared.kg import KnowledgeGraph

    from chattygen.audit import AuditReport, Certifier

CERTIFICATE_SPECS = (
    OptionSpec("certify", "Write a certificate into each question of FILE, or into the copy at -o.", "switch", False),
    OptionSpec("second", "A second engine with the same triples, the URL of its SPARQL endpoint; without it rdflib, "
               "for a graph in files of up to 1 million triples.", metavar="URL"),
    replace(WORKERS_OPTION, help="How many questions the model is asked about at a time."),
)  # fmt: skip


def check_certificate_options(options: Mapping[str, Any]) -> None:
    """Check that options of certificates stand with --certify.

    Raises:
        ConfigError: one stands without it, or the model cannot be one.
    """
    needless = next((name for name in ("second", "models") if options[name] and not options["certify"]), None)
    if needless:
        raise ConfigError(f"--{needless.removesuffix('s')} is for certificates: say --certify, too")
    if "rules" in options["models"]:
        raise ConfigError("the rules do not put queries into words: --model names a language model")


def certificate_file(gold: GoldFile, output: Path | None) -> Path:
    """Return the file that gets the certificates.

    Raises:
        ConfigError: it is the audited file, and that is not a file of ours.
    """
    from chattygen.audit.audited_file import OWN_FORMATS

    if output is not None:
        return output
    name = restore_input_names(str(gold.path))
    if name != str(gold.path):
        raise ConfigError(f"{name} cannot be written: name a file for the certificates with -o")
    if gold.format not in OWN_FORMATS:
        raise ConfigError(f"{name} ({gold.format}) cannot hold certificates: name a file of ours with -o")
    return gold.path


def write_certificates(report: AuditReport, path: Path) -> None:
    """Write the file with its certificates.

    Raises:
        ConfigError: another run is writing the file, or it cannot be written.
    """
    from chattyshared.jsonlines import write_atomically
    from chattyshared.runs.lock import OutputLock

    from chattygen.audit import certified_lines

    lock = OutputLock(path)
    try:
        write_atomically(path, certified_lines(report))
    finally:
        lock.release()


@contextmanager
def open_certifier(kg: KnowledgeGraph, options: Mapping[str, Any]) -> Iterator[Certifier]:
    """Open what makes certificates on a graph.

    Raises:
        ConfigError: the second engine or the model cannot be opened.
    """
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.resources import describe_address

    from chattygen.audit import Certifier
    from chattygen.audit.certification import SecondEngine, engine_name, rdflib_engine
    from chattygen.audit.question_checks import BackTranslator

    if not options["second"]:
        second = rdflib_engine(kg)
    elif options["second"] in options["sources"] or "://" not in options["second"]:
        raise ConfigError("--second is the URL of another server than that of --kg: it starts with http")
    else:
        with startup_errors():
            endpoint = open_other_graph(options["second"], options).endpoint
        second = SecondEngine(engine_name(endpoint), endpoint.untrusted_view())
    with open_reader(options, "audit") as model:
        address = describe_address(options["models"][0], options["base_url"]) if model else ""
        yield Certifier(kg, second, BackTranslator(model, address, options["theta"]) if model else None)


def open_other_graph(source: str | Sequence[str], options: Mapping[str, Any]) -> KnowledgeGraph:
    """Open another graph than that of --kg, whose credentials those of the environment are.

    Raises:
        ConfigError: it is none.
        EndpointError: its server does not answer.
    """
    from chattyshared.endpoint.connection_options import read_connection_options
    from chattyshared.endpoint.credentials import Credentials
    from chattyshared.kg.factory import open_kg

    connection = replace(read_connection_options(options, os.environ), credentials=Credentials())
    return open_kg(source, cache_dir=options["cache_dir"], connection=connection)
