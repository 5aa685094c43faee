"""
A hyperplane and the examples it tells apart
============================================

Points, hyperplane, normal vector, and the band that no example enters.
"""

import matplotlib.pyplot as plt

import rosenblatt as rb

X, y = rb.datasets.margin_cloud(60, 2, margin=0.4, random_state=1)
rb.plot.BoundaryDisplay.from_estimator(rb.Perceptron().fit(X, y), X, y)
plt.show()

# %%
# With sixty columns the picture shows the plane of the normal vector and the main direction along the hyperplane, so
# the distances in it are the true ones. Of the sonar data least squares leaves some on the wrong side, though a
# hyperplane exists.
X, y = rb.datasets.sonar()
display = rb.plot.BoundaryDisplay.from_estimator(rb.LeastSquares().fit(X, y), X, y, distances="wrong")
print(f"least squares: {display.wrong} of {len(display.rows)} sonar returns on the wrong side")
plt.show()

# %%
# Where no hyperplane exists, the proof is drawn: a mixture of one class that is also a mixture of the other.
X, y = rb.datasets.xor()
rb.plot.BoundaryDisplay.from_verdict(rb.separability(X, y), X, y)
plt.show()
