"""No regular expression of the product takes long for any text, but for those that are listed here."""

import subprocess
import sys
from pathlib import Path

import pytest

SLOW = frozenset(
    """
    chattykg.direct.unknown_terms._NAME
    chattykg.experience.query_names._TOKEN
    chattykg.linking.reified_relations._CLAIM
    chattykg.rulebook.grammar.rules._PART
    chattykg.rulebook.mkgqagent._NUMBER
    chattyshared.endpoint.error_mapping:244
    chattyshared.endpoint.rdf_files._PREFIX_LINE
    chattyshared.language.de._PARTICIPLE
    chattyshared.language.quantities._AMOUNT
    chattyshared.runs.cluster_job._FILE
    chattyshared.sparql.rewriting._ORDER_KEY
    chattygen.audit.alternatives._VARIABLE
    chattygen.audit.drift.TERM_TOKEN
    chattygen.checks.UNNATURAL_REFERENCE
    chattygen.lexicalization.predicate_lexicalization._YEAR
    chattygen.lint.label_rules._ARTEFACTS[]
    chattygen.lint.wording_rules:162
    chattygen.rulebook.lookup_questions._BOUNDARY
    chattygen.rulebook.referring_expressions._CODE
    chattygen.stages.model_queries._BODY
    chattygen.stages.model_queries._TOKEN
    """.split()
)
"""What takes more than linear time still: a pattern leaves this list, and none joins it."""


@pytest.mark.slow
def test_no_other_pattern_is_slow():
    """In a process of its own: a cubic pattern would hold this one."""
    command = [sys.executable, str(Path(__file__).with_name("pattern_times.py"))]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=500, check=True).stdout.splitlines()
    assert [line for line in lines if line.split(": ")[0] not in SLOW] == []
