/**
 * Builds the program of the published package into `dist/`, or into the folder given: these sources, the engine's and all libraries as
 * one JavaScript file, so that the package installs without a registry. `npm pack -w hasura-checks` runs it.
 */
import { resolve } from "node:path";
import { build } from "vite";

const root = import.meta.dirname;

await build({
  root,
  configFile: false,
  logLevel: "warn",
  ssr: { noExternal: true },
  build: {
    ssr: resolve(root, "src/main.ts"),
    outDir: resolve(root, process.argv[2] ?? "dist"),
    emptyOutDir: true,
    target: "node22",
    // Optional parts of the Postgres client, for other runtimes.
    rollupOptions: {
      external: [/^node:/, "pg-native", /^cloudflare:/],
      output: { entryFileNames: "main.js", format: "es", codeSplitting: false },
    },
  },
});
