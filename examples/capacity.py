"""How many points can a perceptron tell apart? Two a weight: Cover's theorem, and a measurement of it."""

from rosenblatt import cover

for points in (11, 22, 44):
    print(
        f"{points} points, 11 weights: {cover.count(points, 11):,} of 2^{points} labelings. {cover.regime(points, 11)}"
    )

print()
print(cover.capacity_experiment(N=[5, 20], ratios=[1, 1.5, 2, 2.5, 3], trials=60, random_state=0))

corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
print(f"\nThe corners of a square: {cover.dichotomies(corners)} of 16 labelings; XOR and its opposite are missing.")
