import type { Endpoint } from "../cli/endpoint.ts";
import { UsageError } from "../cli/usage-error.ts";

const timeout = 30_000;

/** The engine has no metadata API at the address. */
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
