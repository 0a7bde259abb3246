"""Make a box: extract the snapshot, pack it, and check that the box reproduces its gold."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from chattyshared.benchmark import Benchmark, turn_id
from chattyshared.errors import ConfigError, file_write_error
from chattyshared.kg import KnowledgeGraph

from chattygen.snapshot.archive import pack_box
from chattygen.snapshot.extraction import Snapshot, add_predicates, extract_snapshot
from chattygen.snapshot.options import SnapshotOptions
from chattygen.snapshot.reproduction import Reproduction, reproduce_box


def make_box(  # noqa: PLR0913
    output: Path,
    file: Path,
    benchmark: Benchmark,
    kg: KnowledgeGraph,
    options: SnapshotOptions,
    *,
    license: str = "",
    on_progress: Callable[[], None] = lambda: None,
) -> tuple[Snapshot, Reproduction]:
    """Write the box of a benchmark file, whose gold it reproduces.

    A query that the snapshot answers otherwise gets all triples of its predicates; if that does not help, the graph
    itself, or the row limit, gives another result than the file states.

    Raises:
        ConfigError: there is no dialogue; a turn is too large, or is not reproduced; the box cannot be written.
        EndpointError: the endpoint does not answer.
    """
    if not benchmark.dialogues:
        raise ConfigError(f"{file} holds no dialogue")
    snapshot = extract_snapshot(kg, benchmark, options, on_progress)
    if not snapshot.triples:
        raise ConfigError(f"{kg.name} has nothing that {file} asks for: it was made from another graph")
    with tempfile.TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True) as folder:
        draft = Path(folder) / "box.zip"
        pack_box(draft, file, kg, snapshot, options, license)
        reproduction = reproduce_box(draft)
        if reproduction.differing:
            names = {name for name, _ in reproduction.differing}
            queries = [t.sparql for d in snapshot.benchmark for t in d.turns if turn_id(d, t) in names]
            snapshot = add_predicates(kg, snapshot, queries, max_triples=options.max_triples)
            pack_box(draft, file, kg, snapshot, options, license)
            reproduction = reproduce_box(draft)
        if reproduction.differing:
            name, reason = reproduction.differing[0]
            raise ConfigError(
                f"{len(reproduction.differing)} turns are not reproduced, such as {name} ({reason}): `chattygen audit` "
                "compares the file with the graph, and writes a repaired copy"
            )
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
            temporary = output.with_name(f"{output.name}.tmp")
            temporary.write_bytes(draft.read_bytes())
            temporary.replace(output)
        except OSError as error:
            raise file_write_error(output, error) from error
    return snapshot, reproduction
