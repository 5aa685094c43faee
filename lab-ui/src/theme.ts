/** Light or dark: as the system is, unless the book around the page says which. docs/_static/theme.js is its other end. */
const CHANGED = "rosenblatt-theme";

/** Call a function again whenever the colours change. */
export function onTheme(again: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  addEventListener(CHANGED, again);
}

/** Ask the book around this page, and follow its switch. A page opened from a folder has no origin: messages still come. */
export function followBook(): void {
  if (parent === window) return;
  addEventListener("message", ({ source, data }: MessageEvent<{ rosenblattTheme?: unknown } | null>) => {
    const theme = data?.rosenblattTheme;
    if (source !== parent || (theme !== "light" && theme !== "dark")) return;
    const root = document.documentElement;
    root.classList.toggle("dark", theme === "dark");
    root.classList.toggle("light", theme === "light");
    root.style.colorScheme = theme;
    dispatchEvent(new Event(CHANGED));
  });
  parent.postMessage({ rosenblattTheme: "?" }, "*");
}
