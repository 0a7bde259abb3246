"""The files of the chat page: nothing from elsewhere, nothing inline, and only these files can be requested."""

import hashlib
import re
from pathlib import Path

import pytest

import chattykg.service

PAGE = Path(chattykg.service.__file__).parent / "page"
OWN_FILES = sorted(path for path in PAGE.iterdir() if path.suffix in (".js", ".css", ".html"))
SCRIPTS = [path for path in OWN_FILES if path.suffix == ".js"]
CYTOSCAPE = "0d7e373a706f0f01d6fb7a6ccf04988c01307cee1c2f9bcc7b068e9f6b431e3f"
MAX_LINES = 400


def page(service, path="/", **headers):
    return service.send("GET", path, Accept="text/html,*/*", **headers)


def test_a_browser_gets_the_page(service):
    got = page(service)
    assert got.status == 200 and got.headers["content-type"].startswith("text/html")
    assert '<label for="question"' in got.body.decode() and got.headers["vary"] == "Accept"


def test_the_policy_allows_the_own_files_only(service):
    for path in ("/", "/page/app.js", "/page/style.css"):
        directives = dict(
            part.strip().split(" ", 1) for part in page(service, path).headers["content-security-policy"].split(";")
        )
        assert directives.pop("require-trusted-types-for") == "'script'"
        assert set(directives.values()) == {"'self'", "'none'"}
        assert directives["default-src"] == directives["frame-ancestors"] == directives["form-action"] == "'none'"
        assert directives["script-src"] == directives["connect-src"] == "'self'"


@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: path.name)
def test_a_file_names_no_other_host_and_no_code_within_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    namespace = r"http://www\.w3\.org/(?:1999|2001)/"  # names of RDF and XML Schema, which nothing loads
    assert re.findall(r"(?<!\^)\b(?:https?:)?//[a-z]", re.sub(namespace, "", text)) == []
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|@import", text)
    assert len(text.splitlines()) <= MAX_LINES


def test_the_document_has_no_inline_script_style_or_handler() -> None:
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:", text)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_what_a_script_imports_is_served(service, path: Path) -> None:
    names = re.findall(r'from "\./([^"]+)"|import\("\./([^"]+)"\)', path.read_text(encoding="utf-8"))
    for name in filter(None, (name for pair in names for name in pair)):
        got = page(service, f"/page/{name}")
        assert (got.status, got.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
        assert got.headers["x-content-type-options"] == "nosniff"


def test_what_the_document_loads_is_served(service):
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'(?:src|href)="(page/[^"]+)"', text)
    assert {Path(name).suffix for name in loaded} == {".js", ".css", ".svg"}
    assert [page(service, f"/{name}").status for name in loaded] == [200] * len(loaded)


def test_an_unchanged_file_is_not_sent_again(service):
    for path in ("/", "/page/app.js"):
        first = page(service, path)
        again = page(service, path, If_None_Match=first.headers["etag"])
        assert (again.status, again.body) == (304, b"")
        assert page(service, path, If_None_Match='"other"').body == first.body


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py", "/page/..%2fapp.py", "/page/%2e%2e/app.py", "/page//etc/passwd", "/page/%00", "/page/",
        "/page/vendor", "/page/vendor/../../app.py", "/page/..\\app.py", "/page/APP.JS",
    ],
)  # fmt: skip
def test_no_other_file_can_be_requested(service, path):
    assert page(service, path).status == 404


def test_a_page_of_another_site_may_link_here_but_not_load_the_scripts(service):
    foreign = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert page(service, "/", **foreign).status == 200
    assert page(service, "/page/app.js", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403


def test_the_vendored_script_is_what_its_readme_says() -> None:
    vendor = PAGE / "vendor"
    assert {path.name for path in vendor.iterdir()} == {
        "README.md", "cytoscape.esm.min.mjs", "cytoscape_license.txt",
    }  # fmt: skip
    assert hashlib.sha256((vendor / "cytoscape.esm.min.mjs").read_bytes()).hexdigest() == CYTOSCAPE
    assert "Permission is hereby granted, free of charge" in (vendor / "cytoscape_license.txt").read_text()
    assert "| 3.34.4 | MIT" in (vendor / "README.md").read_text()
