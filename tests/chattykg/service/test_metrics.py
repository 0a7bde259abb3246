"""Metrics in Prometheus' text format: escaped, bounded, and cumulative."""

import re
from concurrent.futures import ThreadPoolExecutor

from chattykg.service.metrics import MAX_SERIES, QUESTION_SECONDS, QUESTIONS, RESPONSES, Metric, Metrics, escape_label

LINE = re.compile(r'[a-z_]+(\{[a-z]+="(\\.|[^"\\\n])*"(,[a-z]+="(\\.|[^"\\\n])*")*\})? [0-9.e+-]+')


def test_hostile_labels_stay_labels():
    metrics = Metrics()
    metrics.count(QUESTIONS, 'x"} 9\nevil 1\\', "chat", "half a pair: \ud800")
    lines = metrics.render({}).splitlines()
    assert all(line.startswith("# ") or LINE.fullmatch(line) for line in lines) and len(lines) == 3
    assert escape_label('a"b\\\n') == 'a\\"b\\\\\\n'
    metrics.render({}).encode()


def test_a_histogram_is_cumulative():
    metrics = Metrics()
    for seconds in (0.1, 0.2, 7, 1000):
        metrics.observe(QUESTION_SECONDS, "chat", seconds=seconds)
    text = metrics.render({})
    counts = re.findall(r'_bucket\{door="chat",le="(.+?)"\} (\d+)', text)
    assert counts[0] == ("0.1", "1") and counts[1] == ("0.25", "2") and counts[-1] == ("+Inf", "4")
    assert [int(count) for _, count in counts] == sorted(int(count) for _, count in counts)
    assert 'question_seconds_sum{door="chat"} 1007.3' in text and 'question_seconds_count{door="chat"} 4' in text


def test_gauges_are_read_when_they_are_asked_for():
    text = Metrics().render({Metric("open_streams", "gauge", "Open."): {(): 3}})
    assert text == "# HELP chattykg_open_streams Open.\n# TYPE chattykg_open_streams gauge\nchattykg_open_streams 3\n"


def test_the_number_of_series_is_bounded():
    metrics = Metrics()
    for number in range(MAX_SERIES + 50):
        metrics.count(RESPONSES, str(number))
    assert 'responses_total{code="other"} 50' in metrics.render({})


def test_threads_lose_no_count():
    metrics = Metrics()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: metrics.count(RESPONSES, "200"), range(4000)))
    assert 'responses_total{code="200"} 4000' in metrics.render({})
