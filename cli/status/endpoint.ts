import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { getCACertificates, type TLSSocket } from "node:tls";
import { messageOf } from "@routeql/host/failure";
import type { StackAccess } from "../access/access.ts";
import type { EndpointState } from "./report.ts";

/** Milliseconds. */
const patience = 8_000;

const isOfCertificate = (error: string): boolean => /certificate|CERT_|self.signed|altnames/i.test(error);

/**
 * Requests `/healthz` as a client that knows only the public name and the authority. If the name leads elsewhere, asks the published address for
 * that name. Reads the certificate also when it is not trusted or has expired.
 * @param published address of the gateway's ports on this machine
 */
export async function endpointState(
  { url, caFile }: Pick<StackAccess, "url" | "caFile">,
  published?: string,
): Promise<EndpointState> {
  const ca = await readFile(caFile, "utf8").catch(() => undefined);
  const named = await ask(url, { ca });
  if (named.error === undefined) return named;
  const here = published === undefined ? named : await ask(url, { ca, address: published });
  const nameProblem = here.error === undefined ? `${await addressesOf(url)}: ${named.error}` : undefined;
  if (isOfCertificate(named.error)) return refused(url, nameProblem ?? named.error);
  if (nameProblem !== undefined) return { ...here, nameProblem };
  return isOfCertificate(here.error!) ? refused(url, here.error!, published) : named;
}

async function refused(url: string, error: string, address?: string): Promise<EndpointState> {
  const { certificateExpires } = await ask(url, { address, rejectUnauthorized: false });
  return { url, error, certificateExpires, refusedCertificate: true };
}

/** The addresses of a URL's host on this machine, as text. */
async function addressesOf(url: string): Promise<string> {
  const { hostname } = new URL(url);
  const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address).join(", ");
  return addresses === "" ? `${hostname} has no address here` : `${hostname} leads to ${addresses}`;
}

interface AskOptions {
  readonly ca?: string | undefined;
  /** In place of the address of the name. */
  readonly address?: string | undefined;
  readonly rejectUnauthorized?: boolean;
}

/** Node asks for one address or for all. */
const lookupOf =
  (address: string): LookupFunction =>
  (_host, { all }, done) => {
    const family = isIP(address);
    if (all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };

function reasonOf(error: Error): string {
  if (error.name === "TimeoutError" || error.name === "AbortError") return `no answer within ${patience / 1000} s`;
  // OpenSSL's text names its own files.
  if ("code" in error && error.code === "EPROTO") return "another program uses its port, or answers without TLS";
  return messageOf(error) || error.name;
}

function ask(url: string, { ca, address, rejectUnauthorized = true }: AskOptions): Promise<EndpointState> {
  return new Promise((resolve) => {
    const call = request(
      new URL("/healthz", url),
      {
        ca: ca === undefined ? undefined : [ca, ...getCACertificates("extra")],
        rejectUnauthorized,
        agent: false,
        signal: AbortSignal.timeout(patience),
        ...(address === undefined ? {} : { lookup: lookupOf(address) }),
      },
      (response) => {
        const { valid_to: validTo } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume();
        resolve({
          url,
          status: response.statusCode,
          certificateExpires: validTo ? new Date(validTo).toISOString() : undefined,
        });
      },
    );
    call.on("error", (error) => resolve({ url, error: reasonOf(error) }));
    call.end();
  });
}
