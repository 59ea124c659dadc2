import { repository } from "../harness/repository.ts";
import { readRecord } from "./selection/records.ts";
import { suites, type Tier } from "./suites.ts";

/** The suites of a command, each with the minutes of its last recorded success. */
const listed = (tier?: Tier): string =>
  suites
    .filter((suite) => suite.tier === tier)
    .map(({ name, what }) => {
      const { seconds } = readRecord(repository, name) ?? {};
      const minutes = seconds === undefined ? "" : ` (${Math.max(1, Math.round(seconds / 60))} min)`;
      return `  ${name.padEnd(16)}${what}${minutes}`;
    })
    .join("\n");

/** The text of `npm test -- --help`. */
export const help = (): string => `npm test [-- [SUITE… | --changed | --everything] [OPTION…]]

Runs suites, and prints each failed test with the command that repeats it. Exit code 1 if a test failed.

The suites of \`npm test\`:
${listed("test")}
\`npm run test:all\` also runs these:
${listed("test:all")}
Only by name:
${listed()}

Which suites:
  SUITE…          the named suites
  --changed       the suites of \`npm test\`, and each other suite with changed inputs or a record older than ten days
  --everything    all suites, as \`npm run test:all\`
  --plan          prints the suites of the run, with --changed also the reason for each, and runs none

How they run:
  --filter TEXT   only tests whose title contains TEXT
  --lanes N       number of suites that run side by side (2); some always run alone
  --strict        a suite that this machine cannot run fails; without --strict it is skipped, unless you named it
  --record        writes tests/records for each suite that passes; without names and --changed also the duration of the run, and after
                  --everything the figures of docs/reference/figures.md

With ROUTEQL_ACCESS_FILE=PATH (a running stack's access.env), the e2e suite tests that stack instead of its own.
The output and container logs of a failed suite are kept below .routeql/test-logs; the summary names the folder.`;
