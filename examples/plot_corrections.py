"""
Two corrections, before and after
=================================

The misclassified example is ringed; adding it to w turns and shifts the hyperplane. After Bishop's figure 4.7, for any
corrections of any run.
"""

import matplotlib.pyplot as plt

import rosenblatt as rb

X, y = rb.datasets.margin_cloud(30, 2, margin=0.2, random_state=3)
model = rb.Perceptron(order="cyclic", trace=True).fit(X, y)
display = rb.plot.CorrectionsDisplay.from_estimator(model, X, y)

print("drawn: corrections", [one.k for one in display.corrections], "of", len(model.trace_))
plt.show()
