import { errorCodes } from "./error-codes.ts";

/** docs/errors.md: the list of error codes as a table, in the list's order. */
export function renderErrorDocument(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, sentence, remedy }]) => `| \`${code}\` | ${status} | ${sentence} | ${remedy} |`,
  );
  return [
    "# Error codes",
    "",
    "Derived from contract/error-codes.ts by `npm run documents`; do not edit.",
    "",
    'The gateway and the auth sidecar answer `{"error": <sentence>, "code": <code>}` with `Cache-Control: no-store`. 429 and 503 carry `Retry-After`,',
    '405 carries `Allow`. The single exception is the single-step flow\'s answer to wrong credentials, which is exactly `{"error": "wrong credentials"}`.',
    "The engine's own errors have Hasura's form, `{\"errors\": [{\"message\", \"extensions\": {\"path\", \"code\"}}]}`, with status 200.",
    "",
    "| code | status | sentence | what to do |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
