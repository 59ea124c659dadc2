import { parseArgs } from "node:util";
import { printableLines } from "@routeql/contract/printable";
import { readArguments, UsageError } from "@routeql/database-access/command-line";
import { type CommandOutput, type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { readVrps } from "../rpki/read.ts";
import { storeVrps } from "../rpki/store.ts";
import { VrpListError } from "../rpki/vrps.ts";

export const vrpsHelp = `npm run vrps -- [--fewer] FILE|ADDRESS

Reads the validated ROA payloads of an RPKI validator, and sets rpki_status of the hijacks by RFC 6811. A hijack that is detected later is
validated with the same payloads. FILE or ADDRESS (https://…/json) has the JSON of Routinator (json, jsonext) or rpki-client.

  --fewer       accept a list with less than half of the stored payloads
  --stack NAME  the stack to work on (local)
  --help        this text

Run it each hour (docs/operate/data.md). Exit codes: 0 success; 1 the list is wrong or cannot be read; 2 wrong arguments.
`;

/** `npm run vrps`. @param openDatabase connects as `routeql_loader`, once @returns 0, 1 for the list, 2 for arguments */
export async function vrpsCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
): Promise<number> {
  const parsed = readArguments(vrpsHelp, () => parseArguments(args), output);
  if (typeof parsed === "number") return parsed;
  const { source, fewer } = parsed;
  try {
    const list = await readVrps(source);
    await withClient(openDatabase, "routeql-vrps", async (client) => {
      const stored = await storeVrps(client, list, { source, fewer });
      output.stdout.write(
        `payloads  ${stored.total}, ${stored.added} new, ${stored.removed} removed; made at ${stored.builtAt.toISOString()}\n` +
          `hijacks   ${stored.hijacks} with another status\n`,
      );
    });
    return 0;
  } catch (error) {
    if (!(error instanceof VrpListError)) throw error;
    output.stderr.write(`${printableLines(error.message)}\n`);
    return 1;
  }
}

function parseArguments(args: readonly string[]): { source: string; fewer: boolean } | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { fewer: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) return undefined;
  const [source] = positionals;
  if (source === undefined || positionals.length > 1) throw new UsageError("it takes exactly one FILE or ADDRESS");
  return { source, fewer: values.fewer ?? false };
}
