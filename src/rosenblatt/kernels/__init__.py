"""Compiled loops. Begin with `loop.py`: it is the lecture's algorithm, and it names the files that its parts are in."""
