from .adaline import Adaline as Adaline
from .batch_perceptron import BatchPerceptron as BatchPerceptron
from .kernel_perceptron import KernelPerceptron as KernelPerceptron
from .least_squares import LeastSquares as LeastSquares
from .logistic import Logistic as Logistic
from .passive_aggressive import PassiveAggressive as PassiveAggressive
from .perceptron import Perceptron as Perceptron
from .rescaled import RescaledPerceptron as RescaledPerceptron
