"""The filter of candidate queries: a judge tells of each whether it says what the question asks; the rest is deleted.

Source: Perevalov et al., SPARQL Query Candidate Filtering, 2025: candidates are deleted and never reordered; queries
are verbalized by labels. ``judging`` has the judges, ``candidate_filter`` applies one to the candidates of a question,
``memorized`` simulates MemQA, whose lists hold one right query at a random rank.
"""
