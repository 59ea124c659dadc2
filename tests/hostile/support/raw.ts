import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { stack } from "../../e2e/support/stack/stack.ts";
import { exchange } from "../../harness/exchange.ts";

export interface RawOptions {
  /** `https:` addresses use TLS. */
  readonly base?: string;
  /** Milliseconds without a received byte after which the exchange fails. */
  readonly silence?: number;
}

/** A connection for arbitrary bytes. */
export function open({ base = stack.url }: RawOptions = {}): Socket {
  const { protocol, hostname, port } = new URL(base);
  return protocol === "https:"
    ? connectTls({ host: hostname, port: Number(port), ca: stack.caCertificate, ALPNProtocols: ["http/1.1"] })
    : connectPlain({ host: hostname, port: Number(port) });
}

/** Writes bytes to the gateway: {@link exchange}. */
export const raw = (bytes: string | Buffer, options: RawOptions = {}): Promise<string> =>
  exchange(open(options), bytes, options.silence);
