/** Fractions of whole numbers, never divided out: there are few of them, and they stay short. */
import { split } from "./dyadic";

export class Fraction {
  constructor(
    readonly over: bigint,
    readonly under: bigint,
  ) {}

  static of(v: number): Fraction {
    const { whole, exponent } = split(v);
    return exponent < 0
      ? new Fraction(whole, 1n << BigInt(-exponent))
      : new Fraction(whole << BigInt(exponent), 1n);
  }

  plus(other: Fraction): Fraction {
    return new Fraction(this.over * other.under + other.over * this.under, this.under * other.under);
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.over * other.over, this.under * other.under);
  }

  negative(): Fraction {
    return new Fraction(-this.over, this.under);
  }

  below(other: Fraction): boolean {
    return this.over * other.under < other.over * this.under;
  }
}
