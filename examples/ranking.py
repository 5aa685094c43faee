"""The ranking perceptron: learn an order from "this one before that one", and prove where there is none.

A preference of a over b is a vector z = x_a − x_b that should have w·z > 0: rows of one class, without an intercept.
The same perceptron, the same bound, the same proofs.
"""

import warnings

import numpy as np

import rosenblatt as rb

# ------------------------------------ an order by what is known of items

rng = np.random.default_rng(0)
items = rng.integers(0, 10, size=(30, 4)).astype(float)  # price, size, age, speed …
taste = np.array([3.0, -2.0, 1.0, 5.0])  # of somebody who is asked
pairs = np.array([(a, b) for a, b in rng.integers(0, 30, size=(400, 2)) if items[a] @ taste > items[b] @ taste])

preferred = items[pairs[:, 0]] - items[pairs[:, 1]]
before = ["before"] * len(preferred)
model = rb.Perceptron(fit_intercept=False).fit(preferred, before)
bound = rb.theory.mistake_bound(preferred, before, taste, fit_intercept=False)
order = np.argsort(-items @ model.coef_[0])

print(f"{len(pairs)} answers: {model.outcome_}, {model.outcome_.sentence}")
print(f"corrections: {model.n_updates_}, and no order of presentation could need more than {bound}")
print(f"the five that come first: {order[:5].tolist()}")
assert model.n_updates_ <= bound

# ------------------------------------ an order of teams: one weight each, no table

names = ["Ajax", "Bern", "Celta", "Derby", "Elche"]
games = [("Ajax", "Bern"), ("Bern", "Celta"), ("Celta", "Derby"), ("Derby", "Bern"), ("Ajax", "Elche")]  # winner, loser
rows = np.zeros((len(games), len(names)))
for i, (winner, loser) in enumerate(games):
    rows[i, names.index(winner)], rows[i, names.index(loser)] = 1.0, -1.0

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of what is printed here
    season = rb.Perceptron(fit_intercept=False, order="cyclic").fit(rows, ["won"] * len(games))
assert season.outcome_ == "CYCLING"
circle = [" beat ".join(games[i]) for i in season.witness_.rows]
print(f"the season: {season.outcome_}. No order of the teams has every winner first: {', '.join(circle)}")

# ------------------------------------ several classes are the same: right class before wrong

X, y = np.arange(5.0)[:, None], ["XS", "S", "M", "L", "XL"]
sizes = rb.Perceptron(multiclass="kesler", max_passes=10_000).fit(X, y)
print(f"five sizes on one scale: {sizes.outcome_}, {sizes.outcome_.sentence}")
