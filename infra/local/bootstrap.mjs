// What `npm run …` starts. Plain JavaScript for Node 20 without dependencies: it brings Node 24 and the locked dependencies,
// then hands over.
import { fileURLToPath } from "node:url";
import { compileCache } from "./bootstrap/compile-cache.mjs";
import { ensureDependencies } from "./bootstrap/dependencies.mjs";
import { ensureNode } from "./bootstrap/node.mjs";
import { runThrough } from "./bootstrap/run.mjs";

const project = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const [command = "--help", ...rest] = process.argv.slice(2);

try {
  const node = await ensureNode(project);
  await ensureDependencies(project, node);
  const tools = { test: "tools/test.ts", documents: "tools/documents.ts", conformance: "tests/conformance/main.ts", mutations: "tools/mutations.ts", bench: "bench/main.ts" };
  const script = Object.hasOwn(tools, command) ? [tools[command]] : ["infra/local/main.ts", command];
  process.env.NODE_COMPILE_CACHE ??= await compileCache(project);
  await runThrough(node, [`${project}/${script[0]}`, ...script.slice(1), ...rest]);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
