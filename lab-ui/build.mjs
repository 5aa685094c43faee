// One module from all of src, its styles inside, as short as it can be: node build.mjs --outfile=FILE
import { build, transform } from "esbuild";
import { readFile } from "node:fs/promises";

const styles = {
  name: "styles",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, "utf8");
      const { code } = await transform(css, { loader: "css", minify: true, charset: "utf8" });
      return { contents: code, loader: "text" };
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
  legalComments: "none",
  logLevel: "warning",
  plugins: [styles],
});
