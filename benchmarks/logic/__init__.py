"""Benchmarks of threshold logic."""
