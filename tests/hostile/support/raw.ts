import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { stack } from "../../e2e/support/stack.ts";

export interface RawOptions {
  /** `https:` addresses are spoken to over TLS. */
  readonly base?: string;
  /** Milliseconds without a byte after which the exchange is over. */
  readonly silence?: number;
}

/** A connection on which anything can be written. */
export function open({ base = stack.url }: RawOptions = {}): Socket {
  const { protocol, hostname, port } = new URL(base);
  return protocol === "https:"
    ? connectTls({ host: hostname, port: Number(port), ca: stack.caCertificate, ALPNProtocols: ["http/1.1"] })
    : connectPlain({ host: hostname, port: Number(port) });
}

/** Writes bytes that no HTTP library would write, and gives what comes until the gateway closes or is silent. */
export function raw(bytes: string | Buffer, options: RawOptions = {}): Promise<string> {
  const socket = open(options);
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  socket.setEncoding("latin1").setTimeout(options.silence ?? 1500, () => socket.destroy());
  socket.on("data", (chunk: string) => (text += chunk));
  socket.once("close", () => resolve(text));
  socket.once("error", () => resolve(text));
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  return promise;
}

/** The status codes of all replies in what {@link raw} gave. */
export const statuses = (text: string): number[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
