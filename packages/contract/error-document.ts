import { errorCodes } from "./error-codes.ts";

/** A code of the engine with its description on the page. */
export interface EngineErrorRow {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

/** docs/reference/error-codes.md: the codes of the gateway and the auth sidecar, then those of the engine, each as a table. */
export function renderErrorDocument(engine: Readonly<Record<string, EngineErrorRow | undefined>>): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, sentence, remedy }]) => `| \`${code}\` | ${status} | ${sentence} | ${remedy} |`,
  );
  return [
    "# Error codes",
    "",
    "Derived from packages/contract/error-codes.ts and engine/src/errors.ts by `npm run documents`; do not edit.",
    "",
    'The gateway and the auth sidecar answer `{"error": <sentence>, "code": <code>}` with `Cache-Control: no-store`. 429 and 503 carry `Retry-After`,',
    '405 carries `Allow`. The single exception is the single-step flow\'s answer to wrong credentials, which is exactly `{"error": "wrong credentials"}`.',
    "Errors of the engine have another form: see [below](#codes-of-the-engine).",
    "",
    "| code | status | sentence | what to do |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## Codes of the engine",
    "",
    'The engine answers in Hasura\'s form: `{"errors": [{"message", "extensions": {"path", "code"}}]}`. `message` says what is wrong and `path` where in the query.',
    "The status below applies to clients that accept `application/graphql-response+json`. Other clients get Hasura's status: 503 for `busy`, otherwise 200.",
    "",
    "| code | status | meaning | what to do |",
    "|---|---|---|---|",
    ...Object.entries(engine).flatMap(([code, row]) =>
      row === undefined ? [] : [`| \`${code}\` | ${row.status} | ${row.meaning} | ${row.remedy} |`],
    ),
    "",
  ].join("\n");
}
