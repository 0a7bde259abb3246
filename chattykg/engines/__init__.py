"""Baseline and remote engines for comparison; each implements ``chattykg.engine.Engine``, and ``specs`` names them."""
