import { connect as connectPlain } from "node:net";
import { connect as connectTls } from "node:tls";
import { exchange } from "../../harness/exchange.ts";
import type { StartedGateway } from "./gateway-container.ts";

export interface RawOptions {
  readonly listener?: "redirect" | "api" | "console";
  /** Use no TLS. */
  readonly plain?: boolean;
  /** Milliseconds without a received byte after which the exchange fails. */
  readonly silence?: number;
}

/** Writes bytes to the gateway, over TLS by default: {@link exchange}. */
export function raw(
  gateway: StartedGateway,
  bytes: string,
  { listener = "api", plain = listener === "redirect", silence }: RawOptions = {},
): Promise<string> {
  const [host, port] = [gateway.getHost(), gateway.port(listener)];
  const socket = plain
    ? connectPlain({ host, port })
    : connectTls({
        host,
        port,
        ca: gateway.certificate.certificate,
        servername: "localhost",
        ALPNProtocols: ["http/1.1"],
      });
  return exchange(socket, bytes, silence);
}
