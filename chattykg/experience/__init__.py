"""Experience: solved questions of a graph, which prompts show as examples.

``learning`` makes items of a training set, ``experience_file`` keeps them. ``leak_guard`` bars those that questions
under test share, ``retrieval`` selects the examples of a run and finds the nearest to a question, ``rendering``
writes them into a prompt. ``closed_loop`` does this for a round trip that learns from its own dialogues.
"""
