import { isIP } from "node:net";
import type { Session } from "./interface.ts";

/**
 * Variables by which a trigger of the database records how, from where and in which request a change came. Each one is always set, so
 * that none can come from a client.
 */
export function auditVariables(
  { credential = "" }: Session,
  { address = "", requestId = "" }: { readonly address?: string | undefined; readonly requestId?: string | undefined },
): Record<string, string> {
  return {
    "x-hasura-audit-credential": credential,
    "x-hasura-audit-address": isIP(address) > 0 ? address : "",
    "x-hasura-audit-request-id": requestId,
  };
}
