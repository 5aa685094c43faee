"""Benchmarks of `rosenblatt.distributed`."""
