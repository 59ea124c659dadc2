#!/usr/bin/env node
// Plain JavaScript, so that an old Node can say so. The published package holds the program built; in the kit's repository it
// is run from its TypeScript, by a Node that is brought when this one is too old.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = new URL("../dist/main.js", import.meta.url);

if (existsSync(built)) {
  const { main } = await import(built.href);
  process.exitCode = await main(process.argv.slice(2));
} else if (Number(process.versions.node.split(".")[0]) >= 24) {
  const { main } = await import(new URL("../src/main.ts", import.meta.url).href);
  process.exitCode = await main(process.argv.slice(2));
} else {
  const project = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
  const { ensureNode } = await import(new URL("../../offline/node/ensure-node.mjs", import.meta.url).href);
  const { runThrough } = await import(new URL("../../packages/host/run-quietly.mjs", import.meta.url).href);
  await runThrough(await ensureNode(project), [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
}
