/** A refusal is a sentence for the person. */
export class Refusal extends Error {}
