import { printableLines } from "@routeql/contract/printable";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import { parseArgs } from "node:util";
import { readArguments, UsageError } from "@routeql/database-access/command-line";
import { type CommandOutput, type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { recordRun } from "@routeql/database-access/record-run";
import { unreadable } from "@routeql/database-access/unreadable";
import type { Configuration } from "../judging/configuration/parsed-configuration.ts";
import { ConfigurationError } from "../judging/configuration/problems.ts";
import { readConfiguration } from "../judging/configuration/read-configuration.ts";
import { detect, type DetectReport } from "../judging/detect.ts";

export type { OpenDatabase, OpenedDatabase } from "@routeql/database-access/opened-database";

export const detectHelp = `npm run detect -- [--replace] CONFIG.yaml

Stores the configuration, and judges every routing update in the running stack by it. Writes a record for each hijack, from its first
announcement to its withdrawal, and links the updates with it. Later loads judge their updates as they store them.

CONFIG.yaml is the configuration of ARTEMIS, prefixes.yml of BGPalerter, or this form:

  organisations:                 # names, optional
    - { id: example-net, name: Example Net }
  prefixes:
    - prefix: 192.0.2.0/24
      origins: [64500]           # AS numbers that may announce it and its subnets; []: none may
      organisation: example-net  # tenants of this organisation see it; optional

  --replace     delete configured prefixes that CONFIG.yaml does not list; their active hijacks become outdated
  --stack NAME  the stack to work on (local)
  --help        this text

Exit codes: 0 detection ran, with or without results; 1 CONFIG.yaml is wrong; 2 wrong arguments.
`;

/** `npm run detect`. @param openDatabase connects as `routeql_loader`, once @returns 0, 1 for the configuration, 2 for arguments */
export async function detectCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
): Promise<number> {
  const parsed = readArguments(detectHelp, () => parseArguments(args), output);
  if (typeof parsed === "number") return parsed;
  let configuration: Configuration;
  try {
    configuration = readConfiguration(readText(parsed.file), parsed.file);
  } catch (error) {
    const reason = error instanceof UnreadableText ? error.message : unreadable(error);
    if (!(error instanceof ConfigurationError) && reason === undefined) throw error;
    const message = error instanceof ConfigurationError ? error.message : `${parsed.file} cannot be read: ${reason}`;
    output.stderr.write(`${printableLines(message)}\n`);
    return 1;
  }
  for (const warning of configuration.warnings) output.stderr.write(`${printableLines(warning)}\n`);
  return withClient(openDatabase, "routeql-detect", async (client) => {
    const started = performance.now();
    const report = await detect(client, configuration, { replace: parsed.replace });
    output.stdout.write(`${summarize(report, (performance.now() - started) / 1000)}\n`);
    await recordRun(client, "detect", started, output);
    return 0;
  });
}

function parseArguments(args: readonly string[]): { file: string; replace: boolean } | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { replace: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) return undefined;
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new UsageError("it takes exactly one CONFIG.yaml");
  return { file, replace: values.replace ?? false };
}

function summarize({ configured, compared, hijacks, marked }: DetectReport, seconds: number): string {
  return [
    `prefixes  ${configured.total} configured: ${configured.added} new, ${configured.changed} changed, ${configured.removed} removed`,
    `updates   ${compared} within them compared, ${marked} marked or linked again`,
    `hijacks   ${hijacks.found} found: ${hijacks.added} new, ${hijacks.updated} updated; ${hijacks.outdated} outdated`,
    `          ${seconds.toFixed(1)} s`,
  ].join("\n");
}
