"""Benchmarks of the learners."""
