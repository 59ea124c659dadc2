/** Writes every document that is derived from code. With --check it lists outdated documents. */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { drillsDocument } from "./drills.ts";
import { figuresDocument, withoutOldMarks } from "./figures.ts";
import { refusalTable } from "@routeql/auth-sidecar/audit/refusals";
import { renderErrorDocument } from "@routeql/contract/error-codes";
import { dataDictionary } from "@routeql/database/reference";
import { clientErrors } from "@routeql/engine/errors";
import { imagesDocument } from "@routeql/infra/pins/document";
import { generatedFiles } from "@routeql/infra/settings/reference/files";
import { clientPages, clientModuleCopies } from "./client-pages.ts";
import { grafanaDashboard } from "./grafana-dashboard.ts";
import { metricsDocument } from "./metrics-document.ts";
import { sizingTable } from "./sizing.ts";
import { timesOfFirstUse } from "./times.ts";
import { packageGraph, serviceGraph, withSection } from "./pictures.ts";
import { permissionsDocument } from "../permissions/document.ts";

const root = resolve(import.meta.dirname, "../..");

function derived(): ReadonlyMap<string, string> {
  return new Map([
    ["README.md", withSection("README.md", "times", timesOfFirstUse())],
    ["CONTRIBUTING.md", withSection("CONTRIBUTING.md", "packages", packageGraph())],
    ["docs/design/architecture.md", withSection("docs/design/architecture.md", "services", serviceGraph())],
    ["docs/operate/kubernetes.md", withSection("docs/operate/kubernetes.md", "sizing", sizingTable())],
    ["docs/operate/users.md", withSection("docs/operate/users.md", "refusals", refusalTable())],
    ["docs/reference/data-dictionary.md", dataDictionary()],
    ["docs/reference/drills.md", drillsDocument()],
    ["docs/reference/error-codes.md", renderErrorDocument(clientErrors)],
    ["docs/reference/figures.md", figuresDocument()],
    ["docs/reference/images.md", imagesDocument()],
    ["docs/reference/metrics.md", metricsDocument()],
    ["docs/reference/permissions.md", permissionsDocument()],
    ["infra/monitoring/grafana-dashboard.json", grafanaDashboard()],
    ...clientPages(),
    ...clientModuleCopies(),
    ...generatedFiles(),
  ]);
}

/** Derived documents that are missing or outdated: path below the root, and the correct content. @param compared what of a document counts */
export async function outdatedDocuments(
  compared: (text: string) => string = withoutOldMarks,
): Promise<ReadonlyMap<string, string>> {
  const outdated = new Map<string, string>();
  for (const [path, content] of derived()) {
    const written = await readFile(resolve(root, path), "utf8").catch(() => undefined);
    if (written === undefined || compared(written) !== compared(content)) outdated.set(path, content);
  }
  return outdated;
}

const help = `npm run documents [-- --check]

Writes the documents that are generated from code.

  --check  only lists outdated documents; exit code 1 if there are any
  --help   this text`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { check: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const outdated = await outdatedDocuments(values.check ? withoutOldMarks : (text) => text);
  if (outdated.size === 0) console.log("every derived document is current");
  for (const [path, content] of outdated) {
    if (values.check) {
      console.error(`${path} is out of date: run npm run documents`);
    } else {
      await writeFile(resolve(root, path), content);
      console.log(`wrote ${path}`);
    }
  }
  return values.check && outdated.size > 0 ? 1 : 0;
}

if (import.meta.main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
