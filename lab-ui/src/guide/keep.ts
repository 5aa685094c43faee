/** What a browser remembers between visits; a browser without such a memory (a private window, some files) forgets. */
const PREFIX = "rosenblatt-lab-";

type Memory = "local" | "window";

function of(memory: Memory): Storage {
  return memory === "local" ? localStorage : sessionStorage;
}

/** What was kept for good, or for as long as the window is open. */
export function recall(name: string, memory: Memory = "local"): string | null {
  try {
    return of(memory).getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string, memory: Memory = "local"): void {
  const put = (): void => of(memory).setItem(PREFIX + name, value);
  try {
    try {
      put();
    } catch {
      // it is full: states that were kept before go
      for (const one of Object.keys(of(memory))) if (one.startsWith(`${PREFIX}kept-`)) of(memory).removeItem(one);
      put();
    }
  } catch {
    // nothing is lost but the memory
  }
}
