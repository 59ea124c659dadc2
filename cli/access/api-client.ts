import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { json } from "node:stream/consumers";
import { getCACertificates } from "node:tls";
import { Failure, messageOf } from "@routeql/host/failure";
import { stackArgument, stackOption } from "../foundation/command.ts";
import type { StackAccess } from "./access.ts";

/** Time in milliseconds after which a silent gateway counts as down. The engine's own statement limit is 30 s. */
const answerTimeout = 60_000;

/** Codes of Node and OpenSSL for a certificate that a client does not accept. */
const certificateCodes = /^(CERT_|DEPTH_ZERO_|ERR_TLS_CERT_|SELF_SIGNED_|UNABLE_TO_)/;

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly retryAfter: string | undefined;
}

/** Logs in at the gateway, gets one token and ends the session. @throws {Failure} without an answer, or for rejected credentials */
export async function accessToken(access: StackAccess, { email, password }: Credentials): Promise<string> {
  const service = { "x-service-api-key": access.serviceApiKey };
  const login = await send(access, "POST", "/api/auth/login/credentials", service, { email, password });
  const { sessionId } = field(login, "user", `The login of ${email} failed`) as { sessionId: string };
  const session = { ...service, cookie: `sid=${sessionId}` };
  try {
    return field(
      await send(access, "GET", "/api/auth/jwt", session),
      "access_token",
      `${email} received no token`,
    ) as string;
  } finally {
    await send(access, "DELETE", "/api/auth/logout", session).catch(() => undefined);
  }
}

/** Status of a login: 401 for wrong credentials, 503 while a service is down. */
export async function loginStatus(access: StackAccess, { email, password }: Credentials): Promise<number> {
  const service = { "x-service-api-key": access.serviceApiKey };
  const { status, body } = await send(access, "POST", "/api/auth/login/credentials", service, { email, password });
  const { sessionId } = (body["user"] ?? {}) as { sessionId?: string };
  if (sessionId !== undefined)
    await send(access, "DELETE", "/api/auth/logout", { ...service, cookie: `sid=${sessionId}` });
  return status;
}

/** Runs a document with an access token; the body has `errors` when the engine rejects it. @throws {Failure} without an answer */
export async function graphql(
  access: StackAccess,
  token: string,
  query: string,
  variables?: unknown,
): Promise<Record<string, unknown>> {
  const answer = await send(
    access,
    "POST",
    "/api/graphql",
    { authorization: `Bearer ${token}` },
    { query, ...(variables === undefined ? {} : { variables }) },
  );
  if (answer.status !== 200) throw rejected(answer, "The query failed");
  return answer.body;
}

function field(answer: Answer, name: string, failure: string): unknown {
  const value = answer.body[name];
  if (answer.status !== 200 || value === undefined) throw rejected(answer, failure);
  return value;
}

function rejected({ status, body, retryAfter }: Answer, failure: string): Failure {
  const code = typeof body["code"] === "string" ? ` ${body["code"]}` : "";
  const remedy =
    retryAfter === undefined ? "docs/reference/error-codes.md explains each code." : `try again in ${retryAfter} s.`;
  return new Failure(`${failure}: ${status}${code}${typeof body["error"] === "string" ? `, ${body["error"]}` : ""}`, {
    remedy,
  });
}

/** PEM texts of the authorities that sign the stack's certificate, and of those in NODE_EXTRA_CA_CERTS. */
export const authoritiesOf = async ({ caFile }: Pick<StackAccess, "caFile">): Promise<string[]> => [
  await readFile(caFile, "utf8"),
  ...getCACertificates("extra"),
];

async function send(
  access: StackAccess,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const { stack, url } = access;
  const ca = await authoritiesOf(access);
  const text = body === undefined ? undefined : JSON.stringify(body);
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const call = request(
        new URL(path, url),
        {
          method,
          ca,
          headers: { ...headers, ...(text === undefined ? {} : { "content-type": "application/json" }) },
          signal: AbortSignal.timeout(answerTimeout),
        },
        (response) => {
          const { statusCode: status = 0 } = response;
          const retryAfter = response.headers["retry-after"];
          json(response).then(
            (parsed) => resolve({ status, body: parsed as Record<string, unknown>, retryAfter }),
            reject,
          );
        },
      );
      call.on("error", reject);
      call.end(text);
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const isRefused = certificateCodes.test(code);
    throw new Failure(
      `${url} ${isRefused ? "has a certificate that is refused" : "does not answer"}: ${messageOf(error)}`,
      {
        remedy:
          code === "ENOTFOUND"
            ? "PUBLIC_HOST must resolve on this machine too: add the name to DNS or to /etc/hosts."
            : isRefused
              ? `\`npm run status${stackArgument(stack)}\` names the problem of the certificate and the next command.`
              : `run \`npm run up${stackArgument(stack)}\`; \`npm run logs --${stackOption(stack)} gateway\` shows the gateway's log.`,
        cause: error,
      },
    );
  }
}
