// Entry point of every `npm run …`. Plain JavaScript for Node 20 without dependencies: it installs Node 24 and the locked dependencies,
// then starts the command.
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
// oxlint-disable-next-line packages/imports -- by its path, because this runs before the packages are linked
import { proxyEnvironment, unreadableProxy } from "../packages/host/proxy.mjs";
// oxlint-disable-next-line packages/imports -- by its path, because this runs before the packages are linked
import { runThrough } from "../packages/host/run-quietly.mjs";
import { ensureDependencies } from "./bootstrap/dependencies.mjs";
import { foreignVariables, missingIdentity, unusableTemporaryFolders } from "./bootstrap/environment.mjs";
import { unwritable } from "./bootstrap/rights.mjs";

/** The cache holds one file per loaded script. Files of deleted checkouts stay, so the count is limited. */
const mostFiles = 20_000;

/**
 * The folder where all Node processes of a command cache compiled scripts (nodejs.org/api/module.html#module-compile-cache).
 * The cache halves the time to load the Pulumi program and its plugins. Entries are keyed by content, so stale entries are never used.
 */
async function compileCache(project) {
  const folder = `${project}/.tools/compile-cache`;
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  // A running process works without a cache entry that it cannot write.
  if (files.length > mostFiles) await rm(folder, { recursive: true, force: true });
  return folder;
}

/** Path of Node 24 or later. An older Node needs offline/, which downloads the pinned one. */
async function nodeFor(folder) {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  if (!existsSync(`${folder}/offline/node`))
    throw new Error(
      `The commands need Node 24 or later, and this is ${process.version}. Install it from https://nodejs.org.`,
    );
  // oxlint-disable-next-line packages/imports -- by its path, because this runs before the packages are linked
  const { ensureNode } = await import("../offline/node/ensure-node.mjs");
  return ensureNode(folder);
}

const project = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const [command = "--help", ...rest] = process.argv.slice(2);

for (const name of [...foreignVariables(process.env), ...unusableTemporaryFolders(process.env)])
  delete process.env[name];
// Every process started below reads the same proxy settings and trusts the same certificate authorities as this machine.
Object.assign(process.env, proxyEnvironment(process.env), missingIdentity(process.env, project));
process.env.NODE_USE_SYSTEM_CA ??= "1";

try {
  const obstacle = unreadableProxy(process.env);
  if (obstacle) throw new Error(`Failed: ${obstacle.what}.\n\nWhat to do: ${obstacle.remedy}`);
  const node = await nodeFor(project);
  // Child programs such as npm and oxlint run with the same Node.
  process.env.PATH = [dirname(node), process.env.PATH ?? ""].join(delimiter);
  const tools = {
    test: "tests/runner/main.ts",
    documents: "tests/documents/documents.ts",
    artemis: "tests/artemis/main.ts",
    conformance: "tests/conformance/main.ts",
    differential: "tests/differential/main.ts",
    "record-answers": "tests/differential/record.ts",
    bench: "bench/main.ts",
    verify: "tests/verify/main.ts",
  };
  const isTool = Object.hasOwn(tools, command);
  await ensureDependencies(project, { everything: isTool || command === "packages" });
  // `packages` is the first step of the scripts that start a program of node_modules.
  if (command !== "packages") {
    const script = isTool ? [tools[command]] : ["cli/main.ts", command];
    process.env.NODE_COMPILE_CACHE ??= await compileCache(project);
    await runThrough(node, [`${project}/${script[0]}`, ...script.slice(1), ...rest]);
  }
} catch (error) {
  const problem = unwritable(error, project);
  console.error(
    `\n${problem ? `Failed: ${problem.what}\n\nWhat to do: ${problem.remedy}` : error instanceof Error ? error.message : String(error)}`,
  );
  // CI parses the last line of a test run, also when the run could not start.
  if (command === "test") console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = error?.exitCode ?? 1;
}
