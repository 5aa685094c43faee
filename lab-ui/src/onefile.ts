/** The one-file lab writes another one-file lab: the same script and policy, with other points. */

/** The page as it came, with this state to open with. */
export function ownFile(state: string): Blob {
  const copy = document.implementation.createHTMLDocument(document.title);
  const script = (type: string): HTMLScriptElement => document.querySelector(`script[type="${type}"]`)!;
  const { presets } = JSON.parse(script("application/json").textContent!) as { presets: unknown };
  copy.documentElement.lang = document.documentElement.lang;
  for (const one of document.querySelectorAll("meta, link")) copy.head.append(copy.importNode(one, true));
  const without = document.querySelector("noscript")!;
  const home = copy.createElement("div");
  home.dataset["rosenblattLab"] = "file";
  const content = copy.createElement("script");
  content.type = "application/json";
  content.textContent = JSON.stringify({ presets, state }).replaceAll("<", "\\u003c");
  copy.body.append(home, copy.importNode(without, true), content, copy.importNode(script("module"), true));
  return new Blob(["<!doctype html>\n", copy.documentElement.outerHTML, "\n"], { type: "text/html" });
}
