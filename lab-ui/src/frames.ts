/** Work that is done once a frame, however often it is asked for. */
export class OnceAFrame {
  private waiting = 0;

  constructor(private readonly work: () => void) {}

  ask(): void {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.work();
    });
  }

  /** It has been done, or need not be done any more. */
  cancel(): void {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
  }
}
