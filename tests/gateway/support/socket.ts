import { Agent } from "node:https";
import { WebSocket } from "ws";
import { paths } from "@routeql/contract/paths";
import type { StartedGateway } from "./gateway-container.ts";

export interface SocketOptions {
  readonly listener?: "api" | "console";
  readonly protocols?: string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly origin?: string;
  /** Query string with its question mark. */
  readonly search?: string;
}

/** A WebSocket to the gateway, whose certificate names localhost. */
export function openSocket(
  gateway: StartedGateway,
  { listener = "api", protocols = [], search = "", ...options }: SocketOptions = {},
): WebSocket {
  const agent = new Agent({ ca: gateway.certificate.certificate, servername: "localhost" });
  return new WebSocket(`wss://${gateway.getHost()}:${gateway.port(listener)}${paths.graphql}${search}`, protocols, {
    agent,
    ...options,
  });
}
