/** Undo and redo: two buttons and their keys. */
import { button, icon } from "./dom";
import { History } from "./history";

const BACK = "M7 3L2 7L7 11V8.5C11 8.5 13 10 14 13C14 8 11 5.5 7 5.5Z";
const FORTH = "M9 3L14 7L9 11V8.5C5 8.5 3 10 2 13C2 8 5 5.5 9 5.5Z";

export class Undoing<T> {
  readonly buttons = [button("Undo", icon(BACK), () => this.undo()), button("Redo", icon(FORTH), () => this.redo())];
  private readonly history = new History<T>();

  /** `now` is what undo would have to bring back, `restore` brings it back. */
  constructor(
    private readonly now: () => T,
    private readonly restore: (state: T) => void,
    private readonly say: (words: string) => void,
  ) {
    this.draw();
  }

  /** Something is about to change, or has changed since `before`. */
  remember(before: T = this.now()): void {
    this.history.remember(before);
    this.draw();
  }

  /** The keys of undo and redo; a field that is typed in has its own. */
  key(event: KeyboardEvent): void {
    const at = event.composedPath()[0];
    const other = ["radio", "range", "checkbox"];
    const typing = at instanceof HTMLTextAreaElement || (at instanceof HTMLInputElement && !other.includes(at.type));
    if (!(event.ctrlKey || event.metaKey) || event.altKey || typing) return;
    const key = event.key.toLowerCase();
    const redo = key === "y" || (key === "z" && event.shiftKey);
    if (!redo && key !== "z") return;
    event.preventDefault();
    event.stopPropagation();
    if (redo) this.redo();
    else this.undo();
  }

  private undo(): void {
    this.takeBack(this.history.undo(this.now()), "There is nothing to undo.", "Undone.");
  }

  private redo(): void {
    this.takeBack(this.history.redo(this.now()), "There is nothing to redo.", "Redone.");
  }

  private takeBack(state: T | null, none: string, done: string): void {
    if (state) this.restore(state);
    this.draw();
    this.say(state ? done : none);
  }

  private draw(): void {
    const [undo, redo] = this.buttons;
    undo.disabled = !this.history.canUndo;
    redo.disabled = !this.history.canRedo;
  }
}
