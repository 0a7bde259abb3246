"""Boxes: zip files with a benchmark and a snapshot of its graph. A box is untrusted: members are read with limits."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError, file_write_error
from chattyshared.runs.lock import is_device

BENCHMARK, GRAPH, PROFILE, MANIFEST, SUMS = "benchmark.jsonl", "graph.nt", "profile.toml", "box.json", "SHA256SUMS"
MEMBERS = (BENCHMARK, GRAPH, PROFILE, MANIFEST, "croissant.json", "LICENSE-NOTE.md", SUMS)
"""The members that every box has; ``SHA256SUMS`` states the sums of the others."""
README = "README.md"
"""The member that tells people what a box is for; boxes of earlier releases have none."""
FORMAT = 1
"""The version of the format."""
MAX_BYTES = 1 << 30
"""Bytes of all members together, unpacked."""
MAX_RATIO = 200
"""How many times larger than packed the members may be, from ``MIN_RATED_BYTES`` on; N-Triples come to about 30."""
MIN_RATED_BYTES = 100 << 20
"""Bytes of all members together, unpacked, that any box may have."""
MAX_SMALL_MEMBER = 4 << 20
"""Bytes of a member that is neither the benchmark nor the graph."""
MAX_LINE = 16 << 20
"""Bytes of a line of the benchmark: a million small values of JSON take a hundred times their text."""
_START = b"PK\x03\x04"
_TIME = (1980, 1, 1, 0, 0, 0)
"""The time of each member: a zip file has no earlier one, and equal runs give equal bytes."""
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def is_box(path: Path) -> bool:
    """Tell whether a file is a zip file with a member of a box, or a broken one; false for what cannot be read."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            if file.read(len(_START)) != _START:
                return False
        with zipfile.ZipFile(path) as archive:
            return not set(MEMBERS).isdisjoint(archive.namelist())
    except zipfile.BadZipFile:
        return True
    except (OSError, ValueError):
        return False


def write_box(path: Path, members: Mapping[str, bytes]) -> None:
    """Write a box whole or not at all, and add the sums of its members. Equal members give equal bytes.

    Raises:
        ConfigError: the file cannot be written.
        StorageFailed: the disk is full.
    """
    if is_device(path):
        raise ConfigError(f"{path}: a box is written to a file")
    sums = "".join(f"{_sum_line(name, data)}\n" for name, data in members.items())
    temporary = path.with_name(f"{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as box:
            for name, data in (*members.items(), (SUMS, sums.encode())):
                entry = zipfile.ZipInfo(name, _TIME)
                entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
                box.writestr(entry, data)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise file_write_error(path, error) from error


def read_members(path: Path) -> dict[str, bytes]:
    """Return all members of a box, whose sums are right.

    Raises:
        ConfigError: it is no box, is broken, too large, lacks a member or has another one, a member was altered, or the
            format is another one.
    """
    members = _unpack(path)
    if max(map(len, members[BENCHMARK].splitlines()), default=0) > MAX_LINE:
        raise ConfigError(f"{path}: {BENCHMARK} has a line of more than {MAX_LINE >> 20} MB")
    stated = members[SUMS].decode("utf-8", "replace").splitlines()
    altered = [name for name, data in members.items() if name != SUMS and _sum_line(name, data) not in stated]
    if altered:
        raise ConfigError(f"{path}: {', '.join(altered)} differs from its sum in {SUMS}: the box was altered")
    try:
        manifest = json.loads(members[MANIFEST])
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {MANIFEST} is not JSON") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ConfigError(f"{path}: {MANIFEST} is not of format {FORMAT}")
    return members


def open_jsonl(path: Path) -> Any:
    """Open a file of JSON Lines in binary; of a box, its benchmark.

    Raises:
        OSError: the file cannot be read.
        ConfigError: as for ``read_members``.
    """
    return BytesIO(read_members(path)[BENCHMARK]) if is_box(path) else path.open("rb")


def unpack_graph(path: Path) -> tuple[Path, str]:
    """Write the graph and the profile of a box to a folder that is removed with the process.

    Return the folder, and the fingerprint of the whole graph, as the benchmark states it ("": it does not).

    Raises:
        ConfigError: as for ``read_members``; or the folder cannot be written.
    """
    members = read_members(path)
    folder = Path(_temporary_folder(_digest(path.read_bytes())).name)
    try:
        for name in (GRAPH, PROFILE):
            (folder / name).write_bytes(members[name])
    except OSError as error:
        raise file_write_error(folder, error) from error
    try:
        header = json.loads(members[BENCHMARK].partition(b"\n")[0])
        return folder, str(header["benchmark"]["kg"]["fingerprint"])
    except (ValueError, RecursionError, LookupError, TypeError):
        return folder, ""


def _unpack(path: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as box:
            entries = box.infolist()
            _check_entries(path, entries)
            return {entry.filename: box.read(entry) for entry in entries}
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except _BROKEN as error:
        raise ConfigError(f"{path}: is no box, or a damaged one ({' '.join(str(error).split())[:100]})") from error


def _check_entries(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Check names and sizes before anything is unpacked."""
    names = [entry.filename for entry in entries]
    if missing := [name for name in MEMBERS if name not in names]:
        raise ConfigError(f"{path}: is no box: it lacks {', '.join(missing)}")
    if strange := [name for name in names if name not in (*MEMBERS, README)]:
        raise ConfigError(f"{path}: is no box: no box has the member {strange[0]!r:.100}")
    if len(set(names)) < len(names):
        raise ConfigError(f"{path}: is no box: a member occurs twice")
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise ConfigError(f"{path}: is no box: a member is packed by another method than deflate")
    large = [each.filename for each in entries if each.filename not in (BENCHMARK, GRAPH)
             and each.file_size > MAX_SMALL_MEMBER]  # fmt: skip
    if large:
        raise ConfigError(f"{path}: is no box: {large[0]} is larger than {MAX_SMALL_MEMBER >> 20} MB")
    size, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    if size > MAX_BYTES or MIN_RATED_BYTES < size > MAX_RATIO * max(1, packed):
        raise ConfigError(f"{path}: its members would take {size >> 20} MB: too many, or packed too tightly")


def _sum_line(name: str, data: bytes) -> str:
    """Return the line of a member as ``sha256sum`` writes it."""
    return f"{_digest(data)}  {name}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@cache
def _temporary_folder(digest: str) -> tempfile.TemporaryDirectory[str]:
    """Return one folder of this process for each content of a box; the cache keeps it until the process ends."""
    return tempfile.TemporaryDirectory(prefix="chatty-box-", ignore_cleanup_errors=True)
