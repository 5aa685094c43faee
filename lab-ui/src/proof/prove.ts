/** Can a hyperplane tell these points apart? Decided and proved here, in whole numbers; `checker/` looks again. */
import { twoClasses, type Points } from "../types";
import { seemsSeparable } from "./alternative";
import type { Proof } from "./certificate";
import { examples, type Examples } from "./dyadic";
import { margin, street } from "./margins";
import { partition, separated } from "./partition";

/** The proof for n ≥ 1 points. */
export function prove(points: Points): Proof {
  const given = examples(points);
  const two = twoClasses(points);
  const complete = (): Proof | null => {
    const widest = margin(given);
    return widest && { examples: given, partition: separated(), margin: widest, street: two ? street(given) : null };
  };
  return (seemsSeparable(given.rows) && complete()) || undecided(given, complete);
}

/** Where floats see no margin, there may be one all the same. */
function undecided(given: Examples, complete: () => Proof | null): Proof {
  const found = partition(given.rows);
  return (found.kind === "complete" && complete()) || { examples: given, partition: found, margin: null, street: null };
}
