"""Metrics in Prometheus' text format."""

from chattykg.service.metrics import Metrics


def test_metrics_keep_their_names_and_labels() -> None:
    metrics = Metrics()
    metrics.questions.labels('x"} 9\nevil 1\\', "chat", "answered").inc()
    for seconds in (0.1, 7, 1000):
        metrics.question_seconds.labels("chat").observe(seconds)
    lines = metrics.render().decode().splitlines()
    assert r'chattykg_questions_total{dataset="x\"} 9\nevil 1\\",door="chat",status="answered"} 1.0' in lines
    assert 'chattykg_question_seconds_bucket{door="chat",le="0.1"} 1.0' in lines
    assert 'chattykg_question_seconds_count{door="chat"} 3.0' in lines
    assert not [line for line in lines if "_created" in line]
