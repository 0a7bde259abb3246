"""Foreign queries on a local store: guarded, apart, ended at the timeout."""

import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.sandbox import SandboxConfig, SandboxedEndpoint
from chattyshared.endpoint.store_folder import TemporaryStore
from chattyshared.endpoint.store_loading import FileSource, load_store
from chattyshared.errors import (
    AnswerStopped,
    EndpointTimeout,
    QueryCrashed,
    QueryRejected,
    ResultUnreadable,
    UnsafeQuery,
)
from rdflib import Literal

pytestmark = pytest.mark.slow

ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("apart") / "a.nt"
    path.write_text("".join(f'<http://e/{n}> <http://e/p> "{n}" .\n' for n in range(1_000)))
    return path


@pytest.fixture(scope="module")
def endpoint(file):
    with LocalEndpoint([file], timeout=30, row_limit=1_000) as opened:
        yield opened


def store_of(path):
    return TemporaryStore(load_store(FileSource([path]))).path


def pid(view):
    return view._places.queue[-1]._process.pid


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_answers_as_the_endpoint_itself(endpoint):
    query = "SELECT ?s ?o { ?s ?p ?o } ORDER BY ?s"
    assert endpoint.untrusted_view().select(query) == endpoint.select(query)
    assert endpoint.untrusted_view().ask('ASK { ?s ?p "7" }') is True
    assert endpoint.untrusted_view().ask('ASK { ?s ?p "x" }') is False


def test_what_only_reads_alone_is_run(endpoint):
    view = endpoint.untrusted_view()
    with pytest.raises(UnsafeQuery, match=r"^a\.nt: only SELECT and ASK are run"):
        view.select("CONSTRUCT WHERE { ?s ?p ?o }")
    with pytest.raises(QueryRejected, match="not a SELECT query"):
        view.select("ASK {}")
    with pytest.raises(QueryRejected, match="not an ASK query"):
        view.ask("SELECT * { ?s ?p ?o }")


def test_reaching_the_row_limit_is_an_error(endpoint):
    view = endpoint.untrusted_view()
    with pytest.raises(ResultUnreadable, match="more than 1000 rows"):
        view.select("SELECT * { ?s ?p ?o . ?t ?p ?u }")
    with pytest.raises(ResultUnreadable, match="more than 1000 rows"):
        view.select("SELECT * { ?s ?p ?o . ?t ?p ?u } LIMIT 5000")
    assert len(view.select("SELECT * { ?s ?p ?o . ?t ?p ?u } LIMIT 1000")) == 1_000


def test_what_the_store_does_not_take_is_rejected_and_costs_no_process(endpoint):
    view = endpoint.untrusted_view()
    view.ask("ASK {}")
    first = pid(view)
    with pytest.raises(QueryRejected):
        view.select("SELECT ?s (1 AS ?s) { ?s ?p ?o }")
    with pytest.raises(QueryRejected):
        view.select("SELECT ?s ?o { ?s ?p ?o } GROUP BY ?s")
    assert pid(view) == first


def test_a_query_over_the_time_is_ended_and_the_next_one_runs(file):
    with LocalEndpoint([file], timeout=0.5) as opened:
        view = opened.untrusted_view()
        view.ask("ASK {}")
        first, began = pid(view), time.monotonic()
        with pytest.raises(EndpointTimeout, match=r"took longer than 0\.5 s and was ended"):
            view.select(ENDLESS)
        assert 0.5 <= time.monotonic() - began < 5
        assert not is_alive(first)
        assert view.ask('ASK { ?s ?p "7" }')


def test_its_death_is_an_error_and_the_next_query_runs(file):
    with LocalEndpoint([file], timeout=30) as opened:
        view = opened.untrusted_view()
        view.ask("ASK {}")
        threading.Timer(0.3, os.kill, (pid(view), signal.SIGKILL)).start()
        with pytest.raises(QueryCrashed, match=r"the process of foreign queries ended \(status -9\)"):
            view.select(ENDLESS)
        assert view.ask('ASK { ?s ?p "7" }')
        view._places.queue[-1]._process.kill()  # between two queries
        view._places.queue[-1]._process.wait()
        assert view.ask('ASK { ?s ?p "7" }')


def test_a_query_that_eats_memory_is_ended(file):
    opening = SandboxConfig(store_of(file), memory_bytes=200 * 1024**2)
    view = SandboxedEndpoint("a.nt", opening, timeout=60, row_limit=1_000)
    with pytest.raises(QueryCrashed, match="memory|ended"):
        view.select("SELECT ?a ?c ?d ?f { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?c ?f ?i")
    assert view.ask("ASK {}")
    view.close()


LONG_ROWS = f"SELECT (CONCAT({', '.join(['?o'] * 100)}) AS ?x) {{ ?s <http://e/long> ?o . ?t <http://e/p> ?p }}"
TOO_LARGE = r"^a\.nt: the answer has more than 64 MB: ask for fewer rows$"


@pytest.fixture(scope="module")
def long(tmp_path_factory, file):
    path = tmp_path_factory.mktemp("long") / "a.nt"
    path.write_text(f'{file.read_text()}<http://e/a> <http://e/long> "{"x" * 10_000}" .\n')
    return path


def test_a_result_of_too_many_bytes_is_given_up_by_its_process(long):
    """A thousand rows of 1 MB each."""
    with LocalEndpoint([long], timeout=60) as opened:
        view = opened.untrusted_view()
        view.ask("ASK {}")
        first, before, began = pid(view), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
        with pytest.raises(ResultUnreadable, match=TOO_LARGE):
            view.select(LONG_ROWS)
        assert time.monotonic() - began < 15
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 << 10
        assert (pid(view), view.ask("ASK {}")) == (first, True)


def test_a_result_may_be_as_large_as_the_limit(long):
    query = "SELECT ?o { ?s <http://e/long> ?o }"
    for largest in (9_000, 10_050, 20_000):
        view = SandboxedEndpoint(
            "a.nt", SandboxConfig(store_of(long), max_result_bytes=largest), timeout=60, row_limit=1_000
        )
        if largest < 20_000:
            with pytest.raises(ResultUnreadable, match="ask for fewer rows"):
                view.select(query)
        else:
            assert view.select(query) == [{"o": Literal("x" * 10_000)}]
        view.close()


def test_the_time_of_a_query_holds_for_writing_its_result_too(long):
    view = SandboxedEndpoint(
        "a.nt", SandboxConfig(store_of(long), max_result_bytes=1 << 40), timeout=0.5, row_limit=1_000
    )
    view.ask("ASK {}")
    began = time.monotonic()
    with pytest.raises(EndpointTimeout, match=r"took longer than 0\.5 s and was ended"):
        view.select(LONG_ROWS)
    assert time.monotonic() - began < 5
    view.close()


def test_a_process_that_writes_more_than_it_may_is_ended(file):
    view = SandboxedEndpoint("a.nt", SandboxConfig(store_of(file)), timeout=60, row_limit=1_000)
    view.ask("ASK {}")
    child = view._places.queue[-1]
    child._max_bytes = 10
    with pytest.raises(ResultUnreadable, match=TOO_LARGE):
        view.ask("ASK {}")
    assert view._places.queue[-1] is None and not is_alive(child._process.pid)
    assert view.ask("ASK {}") is True
    view.close()


def test_it_reads_the_kept_store(file, tmp_path):
    with LocalEndpoint([file], store=tmp_path / "store") as opened:
        assert opened.untrusted_view().select("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == [{"n": Literal(1_000)}]


def test_files_may_go_away_once_they_are_read(tmp_path):
    path = tmp_path / "a.nt"
    path.write_text('<http://e/a> <http://e/p> "x" .\n')
    with LocalEndpoint([path]) as endpoint:
        path.unlink()
        assert endpoint.untrusted_view().ask('ASK { ?s ?p "x" }')
        endpoint.close()
        assert endpoint.untrusted_view().ask('ASK { ?s ?p "x" }')


def test_it_ends_with_its_endpoint(file):
    view = LocalEndpoint([file]).untrusted_view()
    view.ask("ASK {}")
    process = pid(view)
    del view
    gc.collect()
    assert not is_alive(process)


def test_it_ends_with_its_parent_even_in_a_query(file, tmp_path):
    program = textwrap.dedent(
        """
        import sys, threading
        from pathlib import Path
        from chattyshared.endpoint.local import LocalEndpoint
        view = LocalEndpoint([Path(sys.argv[1])], timeout=60).untrusted_view()
        view.ask("ASK {}")
        print(view._places.queue[-1]._process.pid, flush=True)
        view.select(sys.argv[2])
        """
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", program, file, ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        child = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    deadline = time.monotonic() + 5
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(child), "the child outlived its parent"
    assert not list(tmp_path.iterdir()), "its copy of the store is left behind"


def test_rdflib_gives_the_same_rows_of_the_same_triples_in_a_process_of_its_own(endpoint):
    query = "PREFIX e: <http://e/> SELECT ?s ?o { ?s e:p ?o FILTER(?o = '7' || ?s = <http://e/8>) } ORDER BY ?o"
    view = endpoint.rdflib_view()
    assert view.select(query) == endpoint.untrusted_view().select(query)
    assert view.ask("ASK { <http://e/1> <http://e/p> '1' }") and not view.ask("ASK { <http://e/1> ?p '2' }")
    assert pid(view) != pid(endpoint.untrusted_view())
    with pytest.raises(UnsafeQuery):
        view.select("SELECT ?s { SERVICE <http://e/> { ?s ?p ?o } }")


def test_rdflib_ends_a_query_over_the_time_and_keeps_its_triples(file):
    with LocalEndpoint([file], timeout=0.5) as opened:
        view = opened.rdflib_view()
        assert view.ask('PREFIX e: <http://e/> ASK { e:7 ?p "7" }')
        first, began = pid(view), time.monotonic()
        with pytest.raises(EndpointTimeout, match=r"took longer than 0\.5 s and was ended"):
            view.select(ENDLESS)
        assert 0.5 <= time.monotonic() - began < 5
        assert view.ask('ASK { ?s ?p "7" }') and pid(view) == first


def test_a_query_that_nobody_waits_for_ends_at_once(endpoint):
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(AnswerStopped):
        endpoint.untrusted_view(stop).select(ENDLESS)
    assert time.monotonic() - began < 5
    assert endpoint.untrusted_view(stop=threading.Event()).ask('ASK { ?s ?p "7" }')


def test_a_slow_query_holds_up_no_other(endpoint):
    stop, stopped = threading.Event(), []

    def run():
        with pytest.raises(AnswerStopped):
            endpoint.untrusted_view(stop).select(ENDLESS)
        stopped.append(True)

    slow = threading.Thread(target=run)
    slow.start()
    time.sleep(0.3)
    assert endpoint.untrusted_view().ask('ASK { ?s ?p "7" }') and stopped == []
    stop.set()
    slow.join()
    assert stopped == [True]
