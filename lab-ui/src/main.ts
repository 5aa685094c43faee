/** One module, three homes: a page of the lab's server, a notebook (anywidget calls `render`), a single HTML file. */
import { figureIn, frame } from "./figure";
import { file, notebook, server, type Host, type Model } from "./host";
import { Lab } from "./lab";
import { answerQuestions } from "./prover";
import rooms from "./rooms/rooms.css";
import { Shell } from "./rooms/shell";
import css from "./style.css";
import { followBook } from "./theme";

function settle(root: HTMLElement, host: Host): Lab {
  // a constructed sheet needs no permission from the page's policy, and works in a shadow tree
  const sheet = new CSSStyleSheet();
  sheet.replaceSync((css + rooms).replaceAll("|", ".lab ").replaceAll("$", "var(--")); // the build has made them short
  const home = root.getRootNode() as Document | ShadowRoot;
  home.adoptedStyleSheets = [...home.adoptedStyleSheets, sheet];
  const figure = host.kind === "notebook" ? null : figureIn(location.hash);
  if (figure) frame(root, figure);
  const presented = host.kind !== "notebook" && /[#&]present(&|$)/.test(location.hash);
  root.classList.toggle("present", presented);
  const shell = new Shell(root, host);
  const lab = new Lab(shell.first, host, figure);
  shell.leaving = () => lab.leave();
  shell.points = () => lab.points();
  if (presented) document.addEventListener("keydown", (event) => lab.present(event));
  lab.visit = (room) => shell.go(room);
  const begin = host.begin();
  void begin.then(({ state }) => shell.begin(state)).catch(() => undefined); // the lab says why
  void lab.begin(begin).then(() => shell.ready());
  return lab;
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const home = document.createElement("div");
  const root = document.createElement("div");
  const light = document.body.dataset["jpThemeLight"]; // JupyterLab says which
  if (light !== undefined) root.classList.add(light === "false" ? "dark" : "light");
  home.attachShadow({ mode: "open" }).append(root); // a notebook's styles are not for the lab's parts
  el.append(home);
  settle(root, notebook(model));
  return () => model.off("msg:custom");
}

declare const WorkerGlobalScope: unknown;
if (typeof WorkerGlobalScope !== "undefined") answerQuestions(self as never);

const page = typeof document === "undefined" ? null : document.querySelector<HTMLElement>("[data-rosenblatt-lab]");
if (page) {
  document.body.classList.add("rosenblatt-page");
  followBook();
  settle(page, page.dataset["rosenblattLab"] === "file" ? file() : server());
}

// for whoever uses the module without its page, as the tests do
export { fromPage } from "./answer";
export { check } from "./checker/check";
export { parseJson } from "./checker/json";
export { shadow } from "./atlas";
export { parseCsv } from "./csv";
export { CHALLENGES, judged } from "./guide/challenges";
export { oddities } from "./guide/odd";
export { learn } from "./perceptron";
export { answer } from "./proof/answer";
export { certificate } from "./proof/certificate";
export { prove } from "./proof/prove";
export { word } from "./random";
export { Replay } from "./replay";
export { rivals } from "./rivals";
export { readTableFile } from "./tablefile";
export * as rooms from "./rooms/numbers";
export { checkFiles } from "./verify";
export default { render };
