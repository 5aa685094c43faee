// One module from all of src, its styles inside, as short as it can be: node build.mjs --outfile=FILE
import { build, transform } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/**
 * Names of private members that stand in the sources as `this.name` and in their declaration only: nothing outside can mean
 * them, so they become short ones.
 */
function privateNames() {
  const sources = readdirSync("src", { recursive: true }).filter((path) => path.endsWith(".ts"));
  const text = sources.map((path) => readFileSync(`src/${path}`, "utf8")).join("\n");
  const declared = new Set(Array.from(text.matchAll(/^ +private (?:readonly |async |get |set )*(\w+)/gm), (found) => found[1]));
  const safe = /(?:\bthis\.|^ +private (?:readonly |async |get |set )*)$/;
  const uses = (name) => [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))];
  const before = ({ index }) => text.slice(text.lastIndexOf("\n", index - 1) + 1, index);
  return [...declared].filter((name) => uses(name).every((use) => safe.test(before(use))));
}

/** What stands often in styles, and the sign for it; main.ts puts it back. */
const SHORT = [[".lab ", "|"], ["var(--", "$"]];

const styles = {
  name: "styles",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, "utf8");
      const { code } = await transform(css, { loader: "css", minify: true, charset: "utf8" });
      return { contents: SHORT.reduce((text, [long, sign]) => text.replaceAll(long, sign), code), loader: "text" };
    });
  },
};

await build({
  entryPoints: ["src/main.ts"],
  outfile: process.argv[2].replace("--outfile=", ""),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  mangleProps: new RegExp(`^(${privateNames().join("|")})$`),
  legalComments: "none",
  logLevel: "warning",
  plugins: [styles],
});
