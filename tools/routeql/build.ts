/**
 * Builds the program of the published package: these sources and the engine's as JavaScript in `dist/`, or in the folder given,
 * libraries left outside. `npm pack -w routeql` runs it.
 * @module
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "vite";

const root = import.meta.dirname;
const { dependencies } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as { readonly dependencies: Readonly<Record<string, string>> };

await build({
  root,
  configFile: false,
  logLevel: "warn",
  build: {
    ssr: resolve(root, "src/main.ts"),
    outDir: resolve(root, process.argv[2] ?? "dist"),
    emptyOutDir: true,
    target: "node22",
    rollupOptions: { external: [/^node:/, ...Object.keys(dependencies)], output: { entryFileNames: "main.js", format: "es" } },
  },
});
