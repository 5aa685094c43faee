"""Sonar: does a hyperplane tell metal from rock, and how long may a perceptron take to find it? It says, with proof."""

import time

import numpy as np

import rosenblatt as rb

data = rb.datasets.sonar()
X, y = data
rb.Perceptron().partial_fit(X[:1], y[:1], classes=np.unique(y))  # compile first, so that the time below is the run's

began = time.perf_counter()
model = rb.Perceptron(order="shuffled", random_state=0, max_passes=1_000_000).fit(X, y)
elapsed = time.perf_counter() - began

verdict = rb.separability(X, y)
counts = " and ".join(f"{label} ({np.sum(y == label)})" for label in model.classes_)

print(f"sonar · {X.shape[0]} rows × {X.shape[1]} columns · classes {counts}\n")
print(verdict)
print(f"\n  this run          {model.outcome_} after {model.n_updates_:,} corrections, {elapsed:.2f} s")
print(f"  certificate       {verdict.certificate.verify(X, y)}")
