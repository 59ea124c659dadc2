import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import { secretComparison } from "@routeql/contract/rotated-secret";
import { traceIdOf } from "@routeql/contract/trace-context";
import type { RequestHandler, Response } from "express";

export interface RequestContext {
  readonly requestId: string;
  readonly traceId: string | undefined;
  /** IP address of the client, as the gateway gives it. */
  readonly address: string;
  readonly fromGateway: boolean;
  /** Arrival time in `process.hrtime`-like milliseconds. */
  readonly startedAt: number;
}

/** Header by which the gateway proves itself. */
const gatewayHeader = "x-gateway-key";

/**
 * Creates the context and sets the request id and the common headers of the answer.
 * @param gatewayKey address and id are taken only from requests with this key: any service of a shared network could send others
 */
export function requestContext(gatewayKey: string | undefined): RequestHandler {
  const isKey = gatewayKey === undefined ? () => undefined : secretComparison({ current: gatewayKey });
  return ({ headers, socket }, response, next) => {
    const presented = headers[gatewayHeader];
    const fromGateway = typeof presented === "string" && isKey(presented) !== undefined;
    const id = requestId(fromGateway ? headers["x-request-id"] : undefined);
    response.locals["context"] = {
      requestId: id,
      traceId: traceIdOf(headers["traceparent"], id),
      address: clientAddress(fromGateway ? headers["x-forwarded-for"] : undefined, socket.remoteAddress),
      fromGateway,
      startedAt: performance.now(),
    } satisfies RequestContext;
    response.setHeader("X-Request-ID", id);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    next();
  };
}

export function contextOf(response: Response): RequestContext {
  const context = response.locals["context"] as RequestContext | undefined;
  if (context === undefined) throw new Error("the request has no context yet");
  return context;
}

/** The client's address. Of a list in X-Forwarded-For only the last entry is trusted, because the gateway wrote it. */
export function clientAddress(forwardedFor: string | string[] | undefined, peer: string | undefined): string {
  const last =
    (Array.isArray(forwardedFor) ? forwardedFor.join(",") : (forwardedFor ?? "")).split(",").at(-1)?.trim() ?? "";
  const address = isIP(last) > 0 ? last : (peer ?? "");
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}

/** The gateway's request id if valid, otherwise a new one. Only harmless characters are accepted, because it is logged. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : randomUUID();
}
