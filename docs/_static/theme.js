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
addEventListener("message", ({ source, data }) => {
  const asked = labs().find((frame) => frame.contentWindow === source);
  if (asked && data?.rosenblattTheme === "?") tell(asked);
  if (asked && data?.rosenblattHeight > 0) asked.style.height = `${data.rosenblattHeight + 2}px`; // a figure is as high as it is
});
for (const frame of replays()) frame.addEventListener("load", () => dress(frame));
new MutationObserver(all).observe(document.documentElement, { attributeFilter: ["data-theme"] });
all();
