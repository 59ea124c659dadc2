/** Builds the published program into `dist/` or the folder given, all libraries in one file, so that it installs without a registry. */
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
