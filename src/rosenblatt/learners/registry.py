"""All learners, with one spelling each: what saved models, the command line, tables, the lab and `rb.` call them.

Every file of this folder is a learner's: `passive_aggressive.py` has the class `PassiveAggressive`, which is called
passive-aggressive. A new file is a new learner; nothing else lists them. Classes are imported when they are asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.learners.shared.classifier import Classifier

__all__ = ["CLASSES", "LEARNERS", "Learner"]


@dataclass(frozen=True)
class Learner:
    """A class of learners, or a variant of one: `own` are the parameters that make the variant."""

    name: str
    file: str
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def class_name(self) -> str:
        """The name of its class in Python.

        >>> LEARNERS["passive-aggressive"].class_name, LEARNERS["averaged"].class_name
        ('PassiveAggressive', 'Perceptron')
        """
        return "".join(word.capitalize() for word in self.file.split("_"))

    @property
    def kind(self) -> "type[Classifier]":
        """Its class."""
        found: type[Classifier] = getattr(import_module(f"rosenblatt.learners.{self.file}"), self.class_name)
        return found

    def make(self, **parameters: object) -> "Classifier":
        """The learner with these parameters, those that its class has."""
        known = self.kind._get_param_names()
        return self.kind(**{**self.own, **{name: value for name, value in parameters.items() if name in known}})


def _learner_files() -> list[str]:
    """The learners' files; the perceptron's is the first."""
    here = iter_modules([str(Path(__file__).parent)])
    found = {module.name for module in here if not module.ispkg} - {"registry", "perceptron"}
    return ["perceptron", *sorted(found)]


_EACH = [Learner(file.replace("_", "-"), file) for file in _learner_files()]
_VARIANTS = [Learner("averaged", "perceptron", {"average": True}), Learner("pocket", "perceptron", {"pocket": True})]

LEARNERS = {one.name: one for one in (_EACH[0], *_VARIANTS, *_EACH[1:])}  # by the name that users write
CLASSES = {one.class_name: one for one in _EACH}  # by the name in Python
