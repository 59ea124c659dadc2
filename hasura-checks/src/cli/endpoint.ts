import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { certificatesOf, pemOf, textOfPem } from "@routeql/contract/pem";
import { fromEnvironment } from "@routeql/engine/execution/database/connection";
import type { Given, Options, Terminal } from "./command.ts";
import { readTextOf } from "./read-file.ts";
import { UsageError } from "./usage-error.ts";

export const endpointOptions = {
  endpoint: { type: "string", value: "URL", help: "the address of a running engine" },
  "admin-secret-file": {
    type: "string",
    value: "FILE",
    help: "a file with the admin secret; default: HASURA_GRAPHQL_ADMIN_SECRET or HASURA_GRAPHQL_ADMIN_SECRET_FILE of the environment",
  },
  header: { type: "string", value: "NAME", help: "the header that carries the secret; default X-Hasura-Admin-Secret" },
  ca: { type: "string", value: "FILE", help: "a certificate authority to trust besides the usual ones" },
} as const satisfies Options;

export interface Endpoint {
  readonly url: URL;
  /** undefined: requests have no secret. */
  readonly secret: string | undefined;
  readonly header: string;
}

/** The engine of `--endpoint`; undefined without the option. @param path its default @throws UsageError without the secret */
export function endpointOf(given: Given, terminal: Terminal, path: string): Endpoint | undefined {
  const named = given.text("endpoint");
  if (named === undefined) return undefined;
  const url = addressOf(named, path);
  trust(given.text("ca"), terminal.directory);
  const header = given.text("header") ?? "X-Hasura-Admin-Secret";
  const secret = secretOf(given, terminal);
  try {
    if (secret !== undefined) new Headers().set(header, secret);
  } catch {
    throw new UsageError(
      `no header ${header} can be made of the admin secret: a header is one line of Latin characters`,
    );
  }
  return { url, header, secret };
}

function addressOf(text: string, path: string): URL {
  let address: URL;
  try {
    address = new URL(text);
  } catch {
    throw new UsageError(`${text} is not a URL`);
  }
  if (!/^https?:$/.test(address.protocol)) throw new UsageError("--endpoint takes an http or https URL");
  if (address.pathname === "/") address.pathname = path;
  return address;
}

function trust(authority: string | undefined, directory: string): void {
  if (authority === undefined) return;
  try {
    const own = certificatesOf(textOfPem(readFileSync(resolve(directory, authority))));
    setDefaultCACertificates([...getCACertificates("default"), ...own.map((certificate) => pemOf([certificate]))]);
  } catch (error) {
    throw new UsageError(`the certificate of --ca cannot be used: ${(error as Error).message}`);
  }
}

function secretOf(given: Given, { directory, environment }: Terminal): string | undefined {
  const file = given.text("admin-secret-file");
  if (file === undefined) return fromEnvironment(environment, "HASURA_GRAPHQL_ADMIN_SECRET");
  return readTextOf(resolve(directory, file), "the file of --admin-secret-file").trim();
}

const timeout = 30_000;

export class NoMetadataApi extends UsageError {}

/** The metadata of a running engine, by `export_metadata` of Hasura. @throws UsageError; no message contains the secret */
export async function exportMetadata(endpoint: Endpoint): Promise<unknown> {
  const answer = await post(endpoint, { type: "export_metadata", version: 2, args: {} });
  const metadata = answer["metadata"] ?? answer;
  if (typeof metadata !== "object" || metadata === null || !("version" in metadata))
    throw new NoMetadataApi(`${endpoint.url.href} answered without metadata`);
  return metadata;
}

/** The JSON object of an answer. @throws UsageError */
export async function post(
  { url, header, secret }: Endpoint,
  content: object,
): Promise<Readonly<Record<string, unknown>>> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(secret === undefined ? {} : { [header]: secret }) },
      body: JSON.stringify(content),
      redirect: "error",
      signal: AbortSignal.timeout(timeout),
    });
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
    throw new UsageError(`${url.origin} does not answer: ${cause?.message ?? cause?.code ?? message}`);
  }
  const text = await response.text();
  let body: Readonly<Record<string, unknown>> = {};
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // The code below reports the status.
  }
  if (response.ok && Object.keys(body).length > 0) return body;
  const reason = typeof body["error"] === "string" ? body["error"] : "no reason given";
  const answer = `${url.href} answered ${response.status}: ${reason}`;
  // A GraphQL API answers with `errors`.
  throw [404, 405].includes(response.status) || "errors" in body ? new NoMetadataApi(answer) : new UsageError(answer);
}
