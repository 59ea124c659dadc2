import { parseArgs } from "node:util";
import { readArguments } from "@routeql/database-access/command-line";
import { type CommandOutput, type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { fillPositions } from "./fill.ts";

const fillHelp = `npm run fill

Gives positions to the updates that were loaded before the upgrade to a version with view_bgpupdates_log. Then the view shows them too.

  --stack NAME  the stack to work on (local)
  --help        this text

The command copies month by month, so it needs free disk space for the largest one. A load waits while a month is copied. After an
interruption, run it again: it continues. A second run changes nothing.

Exit codes: 0 success, 2 wrong arguments.
`;

function parseArguments(args: readonly string[]): object | undefined {
  const { values } = parseArgs({ args: [...args], options: { help: { type: "boolean" } } });
  return values.help === true ? undefined : values;
}

/** `npm run fill`. @param openDatabase connects as `routeql_owner`, once, after the arguments are validated @returns the exit code */
export async function fillCommand(
  args: readonly string[],
  openDatabase: OpenDatabase,
  output: CommandOutput = process,
): Promise<number> {
  const parsed = readArguments(fillHelp, () => parseArguments(args), output);
  if (typeof parsed === "number") return parsed;
  const number = new Intl.NumberFormat("en-US");
  const filled = await withClient(openDatabase, "routeql-fill", (client) =>
    fillPositions(client, ({ first, rows }) => {
      output.stdout.write(`${first.slice(0, 7)}: ${number.format(rows)} updates\n`);
    }),
  );
  output.stdout.write(filled ? "view_bgpupdates_log has every update.\n" : "Every update has a position already.\n");
  return 0;
}
