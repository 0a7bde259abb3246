"""Experience: solved questions of a graph, which prompts show as examples.

``learning`` makes items of a training set, ``experience_file`` keeps them. ``leak_guard`` bars those that questions
under test share, ``retrieval`` finds the nearest to a question, ``rendering`` writes them into a prompt. ``selection``
does this for a run, ``closed_loop`` for a round trip that learns from its own dialogues.
"""
