"""What a fit leaves behind: its outcome, its trace, and files to keep them in."""

from rosenblatt.models.outcome import Hyperplane, JointWitness, Outcome, Witness, read_witness
from rosenblatt.models.run_state import RunState
from rosenblatt.models.trace import JointTrace, Trace

__all__ = ["Hyperplane", "JointTrace", "JointWitness", "Outcome", "RunState", "Trace", "Witness", "read_witness"]
