"""Engines to compare with: a language model alone, one that reads a neighbourhood, systems behind HTTP, a file.

Each keeps the protocol of ``chattykg.engine.Engine``; ``kinds`` tells what a user types for them and opens them.
"""
