"""Perceptrons as logic: threshold gates, networks of them, and which Boolean functions need how many."""

from rosenblatt.logic.classes import ThresholdClass, threshold_classes
from rosenblatt.logic.functions import as_table
from rosenblatt.logic.gates import AND, AT_LEAST, MAJORITY, NAND, NOR, NOT, OR, Gate
from rosenblatt.logic.lesson import Lesson, learn
from rosenblatt.logic.network import Network
from rosenblatt.logic.synthesis import Synthesis, synthesize
from rosenblatt.logic.threshold import Asummability, bipolar_weights, chow_parameters, is_threshold
from rosenblatt.logic.truth_table import TruthTable

__all__ = [
    "AND",
    "AT_LEAST",
    "MAJORITY",
    "NAND",
    "NOR",
    "NOT",
    "OR",
    "Asummability",
    "Gate",
    "Lesson",
    "Network",
    "Synthesis",
    "ThresholdClass",
    "TruthTable",
    "as_table",
    "bipolar_weights",
    "chow_parameters",
    "is_threshold",
    "learn",
    "synthesize",
    "threshold_classes",
]
