"""RDF files behind a URL: what is taken for one, what is fetched, and what is said where that fails."""

import gzip
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from chattyshared.endpoint.download import fetch_file, is_file_url
from chattyshared.errors import ConfigError
from chattyshared.kg.factory import open_kg
from click.testing import CliRunner
from wire.raw_server import OK, RawServer, endless
from wire.server import Fault

from chattykg.cli import main

WELLS = b"""@prefix : <https://wells.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:one rdfs:label "Foxhole" ; :keeper :ana . :keeper rdfs:label "keeper" . :ana rdfs:label "Ana Lund" .
"""
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/wells.ttl": (200, {"Content-Type": "text/turtle", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, WELLS),
    "/wells.nt.gz": (200, {}, gzip.compress(b"<urn:a> <urn:b> <urn:c> .\n")),
    "/packed.ttl": (200, {"Content-Encoding": "gzip"}, gzip.compress(WELLS)),
    "/moved.ttl": (302, {"Location": "/wells.ttl"}, b""),
    "/page.ttl": (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>no graph</html>"),
    "/broken.ttl": (200, {}, b"@prefix : <urn:x> . :a :b\n"),
    "/late.ttl": (200, {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 +99999999999999999"}, WELLS),
    "/undated.ttl": (200, {"Last-Modified": "yesterday"}, WELLS),
    "/a/%2ftmp%2f..%2fescaped.ttl": (200, {}, WELLS),
    "/ftp.ttl": (302, {"Location": "ftp://127.0.0.1/x.ttl"}, b""),
    "/echo.ttl": (302, {"Location": "gopher://127.0.0.1/?key=sesame-1234"}, b""),
    "/part.ttl": (206, {"Content-Range": "bytes 0-99/200"}, WELLS),
    "/huge.ttl": (200, {"Content-Length": str(3 << 30)}, WELLS),
    "/short.ttl": (200, {"Content-Length": "9999"}, WELLS),
}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = PAGES.get(self.path.partition("?")[0], (404, {}, b""))
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        running = threading.Thread(target=server.serve_forever, args=(0.01,))
        running.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        running.join()


@pytest.mark.parametrize(
    ("url", "is_file"),
    [
        ("https://h.example/a/x.ttl", True), ("http://h.example/x.NT.GZ?v=2#top", True), ("https://h/x.owl", True),
        ("https://h.example/x.rdf", True), ("https://h.example/x.jsonld", True), ("https://h.example/sparql", False),
        ("https://h.ttl/", False), ("https://h.example/sparql?query=x.ttl", False), ("x.ttl", False),
        ("ftp://h.example/x.ttl", False), ("https://h.example/x.gz", False), ("http://[x.ttl", False),
    ],
)  # fmt: skip
def test_a_url_names_a_file_by_the_end_of_its_path(url, is_file):
    assert is_file_url(url) is is_file


@pytest.mark.parametrize("page", ["/wells.ttl", "/packed.ttl", "/moved.ttl"])
def test_a_file_behind_a_url_is_loaded_under_its_url(site, page):
    kg = open_kg([site + page])
    assert (kg.name, kg.count_triples()) == (site + page, 4)
    assert kg.endpoint.untrusted_view().ask("ASK { <https://wells.example/one> ?p ?o }")


def test_it_goes_with_files_on_the_disk(site, tmp_path):
    (tmp_path / "more.nt").write_text("<urn:x> <urn:y> <urn:z> .")
    kg = open_kg([str(tmp_path / "more.nt"), f"{site}/wells.ttl?key=secret", f"{site}/wells.nt.gz"])
    assert kg.count_triples() == 6
    assert kg.name == f"more.nt, {site}/wells.ttl?key=***, {site}/wells.nt.gz"


def test_a_store_made_of_it_is_found_again(site, tmp_path):
    made = set()
    for _ in range(2):
        fetch_file.cache_clear()
        assert (
            open_kg([f"{site}/wells.ttl"], store=tmp_path / "store", cache_dir=tmp_path / "kept").count_triples() == 4
        )
        made.add((tmp_path / "store" / "made-of.json").stat().st_mtime_ns)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("/none.ttl", "HTTP 404 (Not Found), cannot be fetched"),
        ("/page.ttl", "the server sends a page of HTML, no RDF file"),
        ("/broken.ttl", "line 2, column 1: "),
        ("/short.ttl", "cannot be fetched (the connection broke off)"),
        ("/part.ttl", "HTTP 206 (Partial Content), cannot be fetched"),
        ("/huge.ttl", "is larger than 2048 MB"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_one_line(site, page, said):
    done = CliRunner().invoke(main, ["answer", "--kg", site + page, "Who?"], prog_name="chattykg")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"chattykg: {site}{page}: {said}")


def test_nobody_there_and_a_login_are_told():
    with pytest.raises(ConfigError, match=r"http://127.0.0.1:9/x.ttl: cannot be fetched \("):
        fetch_file("http://127.0.0.1:9/x.ttl")
    with pytest.raises(ConfigError, match="without a user and a password"):
        fetch_file("http://me:secret@127.0.0.1/x.ttl")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_no_part_of_a_file_is_left_behind(tmp_path, number):
    with RawServer(endless(OK + b"Content-Length: 9999\r\n\r\n", b" ", 0.02)) as server:
        program = [sys.executable, "-c", "from chattykg.cli import main; main(prog_name='chattykg')"]
        options = ["--kg", f"{server.url}/x.ttl", "--cache-dir", str(tmp_path), "Who?"]
        with subprocess.Popen([*program, "answer", *options], stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 60
            while not (parts := list(tmp_path.rglob("*.part"))) and time.monotonic() < deadline:
                time.sleep(0.05)
            process.send_signal(number)
            said = process.stderr.read()
    assert parts and process.returncode == 3 and said.startswith(b"chattykg: interrupted")
    assert not [path for path in (tmp_path / "files").rglob("*") if path.is_file()]


def test_of_a_file_that_is_too_large_nothing_is_kept(site, tmp_path):
    with pytest.raises(ConfigError, match="is larger than 0 MB"):
        fetch_file(f"{site}/wells.ttl", tmp_path, max_bytes=100)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_changed_file_of_equal_size_and_date_is_read_again(site, tmp_path, monkeypatch):
    address = {"store": tmp_path / "store", "cache_dir": tmp_path / "kept"}
    assert open_kg([f"{site}/wells.ttl"], **address).endpoint.ask('ASK { ?s ?p "Foxhole" }')
    fetch_file.cache_clear()
    status, headers, _ = PAGES["/wells.ttl"]
    monkeypatch.setitem(PAGES, "/wells.ttl", (status, headers, WELLS.replace(b"Foxhole", b"Badgers")))
    assert open_kg([f"{site}/wells.ttl"], **address).endpoint.ask('ASK { ?s ?p "Badgers" }')
    fetch_file.cache_clear()


def test_a_url_names_a_file_and_no_path(site, tmp_path):
    path = fetch_file(f"{site}/a/%2ftmp%2f..%2fescaped.ttl", tmp_path)
    assert (path.name, path.parent.parent) == ("escaped.ttl", tmp_path / "files")


@pytest.mark.parametrize("page", ["/ftp.ttl", "/echo.ttl?key=sesame-1234"])
def test_no_redirect_leaves_http_or_shows_a_key(site, page):
    with pytest.raises(ConfigError) as raised:
        fetch_file(site + page)
    assert "sesame" not in str(raised.value)


def test_a_key_in_the_address_does_not_follow_a_redirect_to_another_port(sparql_server):
    server, other = sparql_server("<urn:a> <urn:b> <urn:c> ."), sparql_server("<urn:a> <urn:b> <urn:c> .")
    here, there = (running.url.removesuffix("sparql") for running in (server, other))
    server.faults += [
        Fault(302, "", {"Location": f"{here}next.ttl?key=abcdef&part=1"}),
        Fault(302, "", {"Location": f"{there}far.ttl?key=abcdef&part=1"}),
    ]
    other.faults.append(Fault(302, "", {"Location": f"{here}back.ttl?key=abcdef&part=1"}))
    server.faults.append(Fault(body="<urn:a> <urn:b> <urn:c> .", content_type="text/turtle"))
    assert fetch_file(f"{here}a.ttl?key=abcdef").read_text() == "<urn:a> <urn:b> <urn:c> ."
    asked = [("key" in seen.parameters, seen.parameters.get("part")) for seen in server.received]
    assert asked == [(True, None), (True, ["1"]), (False, ["1"])]
    assert [dict(seen.parameters) for seen in other.received] == [{"part": ["1"]}]
