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

w = np.append(model.coef_, model.intercept_)
z = np.where(y == model.classes_[1], 1, -1)[:, None] * np.column_stack([X, np.ones(len(X))])
margin = np.min(z @ w) / np.linalg.norm(w)
bound = rb.theory.mistake_bound(X, y, w)
counts = " and ".join(f"{label} ({np.sum(y == label)})" for label in model.classes_)

print(f"sonar · {X.shape[0]} rows × {X.shape[1]} columns · classes {counts}\n")
print(f"  {model.outcome_}: {model.outcome_.sentence}\n")
print(f"  corrections   {model.n_updates_:,} in {model.n_passes_:,} passes, {elapsed:.2f} s")
print(f"  errors        {np.sum(model.predict(X) != y)} of {len(y)}")
print(f"  margin        {margin:.3g}, of these weights in augmented space; every sign is certified")
print(f"  bound         {bound:,} corrections at most, in any order from w = 0: proved by this margin.")
print("                A hyperplane of larger margin would prove a smaller bound.")
