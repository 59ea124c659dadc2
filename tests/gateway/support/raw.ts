import { connect as connectPlain } from "node:net";
import { connect as connectTls } from "node:tls";
import type { StartedGateway } from "./gateway-container.ts";

/** Writes bytes no HTTP library would write, over TLS unless told otherwise, and gives back what comes until the gateway closes or is silent. */
export async function raw(
  gateway: StartedGateway,
  bytes: string,
  { listener = "api", plain = listener === "redirect", silence }: RawOptions = {},
): Promise<string> {
  const [host, port] = [gateway.getHost(), gateway.port(listener)];
  const socket = plain
    ? connectPlain({ host, port })
    : connectTls({ host, port, ca: gateway.certificate.certificate, servername: "localhost", ALPNProtocols: ["http/1.1"] });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  // A reply may be late on a machine at load; what belongs to it comes close together.
  socket.setEncoding("latin1").setTimeout(silence ?? 12_000, () => socket.destroy());
  socket.on("data", (chunk: string) => {
    text += chunk;
    socket.setTimeout(silence ?? 1500);
  });
  socket.once("close", () => resolve(text));
  socket.once("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? resolve(text) : reject(error)));
  socket.write(bytes, "latin1");
  return promise;
}

export interface RawOptions {
  readonly listener?: "redirect" | "api" | "console";
  /** Speak without TLS. */
  readonly plain?: boolean;
  /** Milliseconds without a byte after which the exchange is over; without it 12 s for the first byte and 1.5 s for each further one. */
  readonly silence?: number;
}

/** The status codes of all replies in what {@link raw} gave. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
