"""Benchmarks of the probes."""
