/** The rooms beside the perceptron's, in the order of the bar. */
import { COUNTING } from "./counting";
import { FILTERS } from "./filters";
import { GATES } from "./gates";
import { LOSSES_ROOM } from "./losses";
import type { Room } from "./parts";
import { REGRESSION } from "./regression";
import { THEOREM } from "./theorem";

export const ROOMS: Room[] = [THEOREM, GATES, COUNTING, LOSSES_ROOM, REGRESSION, FILTERS];
