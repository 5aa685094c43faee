/** What a browser remembers between visits; a browser without such a memory (a private window, some files) forgets. */
const PREFIX = "rosenblatt-lab-";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // nothing is lost but the memory
  }
}
