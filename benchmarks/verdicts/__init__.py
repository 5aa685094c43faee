"""Benchmarks of the verdicts."""
