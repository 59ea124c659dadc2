import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { UsageError } from "../cli/usage-error.ts";

export interface Endpoint {
  readonly url: string;
  readonly secret: string | undefined;
  /** Header that carries the secret. */
  readonly header: string;
  /** File with a certificate authority to trust besides the usual ones. */
  readonly authority: string | undefined;
}

const timeout = 30_000;

function addressOf(url: string): URL {
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    throw new UsageError(`${url} is no URL`);
  }
  if (!/^https?:$/.test(address.protocol)) throw new UsageError("--endpoint takes an http or https URL");
  if (address.pathname === "/") address.pathname = "/v1/metadata";
  return address;
}

/** The metadata that a running engine serves, by Hasura's `export_metadata`. @throws UsageError; no message holds the secret */
export async function exportMetadata({ url, secret, header, authority }: Endpoint, directory: string): Promise<unknown> {
  const address = addressOf(url);
  if (authority !== undefined) {
    try {
      setDefaultCACertificates([...getCACertificates("default"), readFileSync(resolve(directory, authority), "utf8")]);
    } catch (error) {
      throw new UsageError(`the certificate of --ca cannot be used: ${(error as Error).message}`);
    }
  }
  const answer = await ask(address, header, secret);
  const metadata = answer["metadata"] ?? answer;
  if (typeof metadata !== "object" || metadata === null || !("version" in metadata)) throw new UsageError(`${address.origin} answered something that is no metadata`);
  return metadata;
}

/** What is sent along. @throws UsageError where a header cannot be so; the reason that `Headers` gives would quote the secret */
function headersWith(header: string, secret: string | undefined): Headers {
  try {
    return new Headers({ "content-type": "application/json", ...(secret === undefined ? {} : { [header]: secret }) });
  } catch {
    throw new UsageError(`no header ${header} can be made of the admin secret: a header is one line of Latin characters`);
  }
}

async function ask(address: URL, header: string, secret: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  const headers = headersWith(header, secret);
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers,
      body: JSON.stringify({ type: "export_metadata", version: 2, args: {} }),
      redirect: "error",
      signal: AbortSignal.timeout(timeout),
    });
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
    throw new UsageError(`${address.origin} does not answer: ${cause?.message ?? cause?.code ?? message}`);
  }
  const text = await response.text();
  let body: Readonly<Record<string, unknown>> = {};
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // Said below, with the status.
  }
  if (response.ok && Object.keys(body).length > 0) return body;
  const reason = typeof body["error"] === "string" ? body["error"] : "no reason given";
  throw new UsageError(`${address.href} answered ${response.status}: ${reason}${response.status === 404 ? " (is the metadata API enabled there?)" : ""}`);
}
