"""The books of a run (`kinds.py`), for the compiled loops."""

from rosenblatt.kernels import kinds
from rosenblatt.kernels.compile import also_compiled, also_compiled_inlined

__all__ = ["end_pass", "record_correction", "record_right_answers"]

for name in ("copy_values", "record_mistakes", "look_for_repeat", "look_for_rest", "end_pass"):
    also_compiled(getattr(kinds, name))
for name in ("record_right_answers", "record_correction"):
    also_compiled_inlined(getattr(kinds, name))

end_pass, record_correction = kinds.end_pass, kinds.record_correction
record_right_answers = kinds.record_right_answers
