"""The distributions hold what they promise, and the wheel runs in a clean environment outside the checkout."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"chattygen", "chattykg", "chattyshared", "chattyprompts", "chattydata"}
RESOURCES = (
    "chattydata/demo.ttl", "chattydata/english/verbs.toml", "chattyprompts/answer/qir.md",
    "chattykg/service/page/index.html", "chattykg/service/page/vendor/cytoscape.esm.min.mjs",
    "chattykg/service/page/vendor/cytoscape_license.txt",
    "chattydata/english/wordnet.txt", "chattydata/english/wordnet_license.txt",
)  # fmt: skip
OWN = ("chatty", "__editable__", "_editable_impl_chatty")
"""How the project's own entries among the installed packages begin."""


def build(kind: str, folder: Path) -> Path:
    """Build a distribution (``wheel`` or ``sdist``) and return its file."""
    script = (
        f"import sys; from hatchling.builders.{kind} import {kind.capitalize()}Builder as Builder; "
        "list(Builder('.').build(directory=sys.argv[1], versions=['standard']))"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_exactly_the_five_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == PACKAGES
    assert set(RESOURCES) <= set(names)
    for notice in ("LICENSE", "data/chattydata/english/wordnet_license.txt"):
        assert any(name.endswith(f".dist-info/licenses/{notice}") for name in names)
    assert "License-Expression: Apache-2.0" in metadata and "Author: Chatty maintainers" in metadata


@pytest.mark.slow
def test_the_source_distribution_is_a_checkout(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml",
        "docs/index.md", "tests/test_packaging.py", "shared/chattyshared/terms.py", "data/chattydata/demo.ttl",
    } <= names  # fmt: skip


@pytest.mark.slow
def test_the_wheel_runs_in_a_clean_environment_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """The dependencies are those of this environment, by links: nothing is fetched, and no editable install is seen."""
    dependencies = tmp_path / "dependencies"
    dependencies.mkdir()
    installed = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    for entry in installed.iterdir():
        if not entry.name.startswith(OWN) and entry.suffix != ".pth":
            (dependencies / entry.name).symlink_to(entry)
    venv.create(tmp_path / "venv", symlinks=True)
    (library,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (library / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    python = tmp_path / "venv" / "bin" / "python"
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run([python, *install], cwd=tmp_path, check=True, capture_output=True)
    origin = subprocess.run(
        [python, "-c", "import chattykg, chattydata; print(chattykg.__file__, chattydata.__file__)"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert all(Path(file).is_relative_to(library) for file in origin)
    done = subprocess.run(
        [python.with_name("chattykg"), "roundtrip", "--kg", "demo", "--dialogues", "2", "--turns", "3", "--json"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert '"f1": 1.0' in done.stdout
