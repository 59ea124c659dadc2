import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { getCACertificates, type TLSSocket } from "node:tls";
import { messageOf } from "@routeql/host/failure";
import type { StackAccess } from "../stack/access.ts";
import type { EndpointState } from "./report.ts";

/** Milliseconds. */
const patience = 8_000;

/** Requests `/healthz` as a client does and reads the certificate, also when it is not trusted or has expired. */
export async function endpointState({ url, caFile }: Pick<StackAccess, "url" | "caFile">): Promise<EndpointState> {
  const trusted = await ask(url, await readFile(caFile, "utf8").catch(() => undefined));
  if (trusted.error === undefined || !/certificate|CERT_|self.signed/i.test(trusted.error)) return trusted;
  const { certificateExpires } = await ask(url, undefined, false);
  return { ...trusted, certificateExpires };
}

function ask(url: string, ca: string | undefined, rejectUnauthorized = true): Promise<EndpointState> {
  return new Promise((resolve) => {
    const call = request(
      new URL("/healthz", url),
      {
        ca: ca === undefined ? undefined : [ca, ...getCACertificates("extra")],
        rejectUnauthorized,
        agent: false,
        signal: AbortSignal.timeout(patience),
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
    call.on("error", (error) =>
      resolve({
        url,
        error:
          error.name === "TimeoutError" || error.name === "AbortError"
            ? `no answer within ${patience / 1000} s`
            : messageOf(error) || error.name,
      }),
    );
    call.end();
  });
}
