// Frames are as light or dark as the book. A lab asks when it opens (lab-ui/src/theme.ts), and is told at each switch by a
// message, which also comes where pages are opened from a folder. A replay's style sheet is at hand, and is switched here.
const now = () => document.documentElement.dataset.theme;
const labs = () => [...document.querySelectorAll(".lab-frame iframe")];
const tell = (frame) => frame.contentWindow.postMessage({ rosenblattTheme: now() }, "*");

// "speech" is no medium of a browser: it keeps the rule's name where the rule is switched off
const DARK = "speech and (prefers-color-scheme: dark)";
const dress = ({ contentDocument: replay }) => {
  if (!replay?.documentElement) return;
  replay.documentElement.style.colorScheme = now();
  for (const sheet of replay.styleSheets)
    for (const { media } of sheet.cssRules)
      if (media && /dark/.test(media.mediaText)) media.mediaText = now() === "dark" ? `screen, ${DARK}` : DARK;
};
const replays = () => [...document.querySelectorAll("iframe[srcdoc]")];
const all = () => {
  labs().forEach(tell);
  replays().forEach(dress);
};
// What the theme's search button is called is what stands on it, its keys too.
for (const button of document.querySelectorAll(".search-button-field")) button.setAttribute("aria-label", button.textContent.replace(/\s+/g, " ").trim());
// A link of the gallery is called what is written under its picture; a head without words is no head.
for (const link of document.querySelectorAll(".sphx-glr-thumbcontainer a")) link.setAttribute("aria-label", link.textContent.trim());
for (const head of document.querySelectorAll(".bd-article th"))
  if (!head.textContent.trim()) head.replaceWith(document.createElement("td"));
// A table that is wider than a phone: one of words becomes a list, each cell under its column's head; one of numbers scrolls.
const tables = [...document.querySelectorAll(".bd-article table:not(.autosummary)")].filter((table) => table.tHead);
for (const table of tables) {
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const cells = [...table.tBodies].flatMap((body) => [...body.rows]).flatMap((row) => [...row.cells]);
  for (const cell of cells) {
    cell.dataset.head = heads[cell.cellIndex] ?? "";
    cell.classList.toggle("short", cell.textContent.trim().length <= 12);
  }
  const words = cells.filter((cell) => /\p{L}{3}/u.test(cell.textContent)).length;
  table.dataset.wordy = 2 * words > cells.length || table.tBodies[0]?.rows.length === 1; // one row is a list
}
const fit = () => {
  for (const table of tables) {
    table.classList.remove("stacked");
    const wide = table.scrollWidth > table.clientWidth + 1;
    table.classList.toggle("stacked", wide && innerWidth <= 600 && table.dataset.wordy === "true");
    if (wide && !table.classList.contains("stacked")) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  }
};
addEventListener("resize", fit);
addEventListener("load", fit);
fit();
addEventListener("message", ({ source, data }) => {
  const asked = labs().find((frame) => frame.contentWindow === source);
  if (asked && data?.rosenblattTheme === "?") tell(asked);
  if (asked && data?.rosenblattHeight > 0) asked.style.height = `${data.rosenblattHeight + 2}px`; // a figure is as high as it is
});
for (const frame of replays()) frame.addEventListener("load", () => dress(frame));
new MutationObserver(all).observe(document.documentElement, { attributeFilter: ["data-theme"] });
all();
