/** What was on the stage before, and what was taken back. */
const MOST = 200;

export class History<T> {
  private readonly past: T[] = [];
  private future: T[] = [];

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Something is about to change; what was taken back is forgotten. */
  remember(now: T): void {
    this.past.push(now);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
  }

  /** The state before; null where there is none. */
  undo(now: T): T | null {
    const before = this.past.pop();
    if (before === undefined) return null;
    this.future.push(now);
    return before;
  }

  redo(now: T): T | null {
    const after = this.future.pop();
    if (after === undefined) return null;
    this.past.push(now);
    return after;
  }
}
