/** "Why?": the lecture's page where the book is beside the lab, a few words where it is not. */
import { h } from "../dom";

interface Reason {
  page: string;
  words: string;
}

export const REASONS = {
  complete: {
    page: "lectures/khapra.html#s3-1-absolutely-linearly-separable",
    words:
      "There are whole numbers w and b for which y·(w·x + b), worked out without rounding, is above 0 for every point. " +
      "They are in the certificate (Save), and anybody can work it out again.",
  },
  quasi: {
    page: "lectures/stein.html#s0-6-the-theorem-for-any-start-and-any-step",
    words:
      "A line has no point on its wrong side, but points of both classes lie on it, and a mixture of points of one class " +
      "is also a mixture of points of the other. A line that separated them would have that mixture on both sides.",
  },
  overlap: {
    page: "lectures/cover.html#s1-2-not-everything-is-separable",
    words:
      "A mixture of points of one class is also a mixture of points of the other: the diamond, where it is drawn. A line " +
      "that separated the classes would have that mixture on both sides.",
  },
  step: {
    page: "lectures/stein.html#s0-4-what-a-correction-moves",
    words:
      "A step of a·(x, 1), added to the weights, changes s for this very point by a·‖(x, 1)‖²: towards its side. Other " +
      "points may be lost on the way.",
  },
  theorem: {
    page: "lectures/stein.html#s0-6-the-theorem-for-any-start-and-any-step",
    words:
      "Along the best w* each correction adds at least ηγ to the length of w, and it adds at most η²R² to ‖w‖². " +
      "The first makes ‖w‖² grow like k², the second at most like k: so k cannot grow for ever.",
  },
  recipes: {
    page: "lectures/index.html#one-algorithm-five-dialects",
    words:
      "The lectures tell one algorithm with different starts, orders, steps and ties. They end with different lines, but " +
      "where a line exists they all end.",
  },
} satisfies Record<string, Reason>;

/** `book` is where the book's pages are, from here; null without a book. */
export function why(reason: keyof typeof REASONS, book: string | null): HTMLElement {
  const { page, words } = REASONS[reason];
  if (book !== null) {
    return h("a", { class: "why", href: `${book}/${page}`, target: "_blank", rel: "noopener" }, "Why?");
  }
  return h("details", { class: "why" }, h("summary", {}, "Why?"), h("p", {}, words));
}
