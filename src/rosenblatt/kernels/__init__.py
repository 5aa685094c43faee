"""Compiled loops. Begin with `loop.py`: it is the lecture's algorithm, and names the files it is made of."""
