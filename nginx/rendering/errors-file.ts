import { errorCodes, type ErrorCode } from "@routeql/contract/error-codes";

/** nginx's statuses, several of them internal to it (494, 497), and the code that clients receive for them. */
const answers: ReadonlyArray<
  readonly [code: ErrorCode, statuses: readonly number[], header?: readonly [name: string, value: string]]
> = [
  ["malformed-request", [400, 501, 505]],
  ["https-required", [497]],
  ["not-found", [403, 404]],
  ["method-not-allowed", [405], ["Allow", "$allowed_methods"]],
  ["payload-too-large", [413]],
  ["uri-too-long", [414]],
  ["unsupported-media-type", [415]],
  ["too-many-requests", [429], ["Retry-After", "$seconds_to_wait"]],
  ["headers-too-large", [494]],
  ["internal", [500]],
  ["unavailable", [502, 503, 504], ["Retry-After", "5"]],
];

/** errors.conf: a JSON reply for every error of nginx itself; for the server context. */
export function renderErrors(): string {
  const blocks = answers.map(([code, statuses, header]) => {
    const lines = [
      `error_page ${statuses.join(" ")} =${errorCodes[code].status} /-/errors/${code};`,
      `location = /-/errors/${code} {`,
      "  internal;",
      "  default_type application/json;",
      // Over HTTP/2, nginx would compare the rejected body with the limit again and then send its own page.
      "  client_max_body_size 0;",
      ...(header === undefined
        ? []
        : ["  include reply-headers.conf;", `  add_header ${header[0]} ${header[1]} always;`]),
      // Refusals that the rate does not limit take one or two seconds, so a flood of one address costs no more than its connections allow.
      "  limit_rate $refused_rate;",
      `  return ${errorCodes[code].status} ${quote(errorBody(code))};`,
      "}",
    ];
    return lines.join("\n");
  });
  return `# Rendered from the list of error codes by render.ts; edits here are lost.\n\n${blocks.join("\n\n")}\n`;
}

export function errorBody(code: ErrorCode): string {
  return JSON.stringify({ error: errorCodes[code].sentence, code });
}

/** A string of nginx's configuration language. @throws Error when the text contains a dollar sign, which the language cannot quote */
export function quote(text: string): string {
  if (text.includes("$")) throw new Error(`nginx cannot quote a dollar sign: ${text}`);
  return `'${text.replaceAll("\\", String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
