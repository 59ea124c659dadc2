import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:tls";
import { stack } from "../e2e/support/stack/stack.ts";
import { type Attack, attacks } from "./support/attack.ts";
import { raw } from "./support/raw.ts";

const { hostname, port } = new URL(stack.url);

attacks("rejects renegotiation by a client", () =>
  Array.from({ length: 20 }, (_, index): Attack => ({
    name: `renegotiation ${index}`,
    run() {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const socket = connect(
        { host: hostname, port: Number(port), ca: stack.caCertificate, maxVersion: "TLSv1.2" },
        () => {
          socket.renegotiate({ rejectUnauthorized: false }, (error) => {
            resolve(error === null ? "it did" : undefined);
            socket.destroy();
          });
        },
      );
      socket.setTimeout(5000, () => socket.destroy());
      socket.on("error", () => resolve(undefined)).on("close", () => resolve(undefined));
      return promise;
    },
  })),
);

attacks("the API does not answer bytes that are not a handshake", () =>
  [
    "GET /api/graphql HTTP/1.1\r\nHost: a\r\n\r\n",
    "\x16\x03\x01\xff\xff" + "\x01".repeat(2000),
    "\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10",
    "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
    "SSH-2.0-scanner\r\n",
    "\x00".repeat(10_000),
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\x18\x03\x02\x00\x03\x01\x40\x00", // a heartbeat that requests more bytes than it sent
  ].map((bytes, index): Attack => ({
    name: `bytes ${index}`,
    async run() {
      const text = await raw(bytes, { base: stack.url.replace("https:", "http:") });
      return /"data"|HTTP\/1\.1 (2|5)/.test(text) ? text.slice(0, 200) : undefined;
    },
  })),
);

/** One HTTP/2 connection that misbehaves until the gateway closes it or the scenario ends. */
function misbehave(play: (session: ReturnType<typeof connectHttp2>) => void): Promise<string | undefined> {
  const session = connectHttp2(stack.url, { ca: stack.caCertificate });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  session.on("error", () => resolve(undefined)).on("close", () => resolve(undefined));
  session.once("connect", () => {
    play(session);
    setTimeout(() => session.destroy(), 3000);
  });
  return promise;
}

attacks("HTTP/2: rapid resets, floods of settings and pings, endless headers", () =>
  Array.from({ length: 5 }, (_, index) => index).flatMap((index): Attack[] => [
    {
      name: `rapid reset ${index}`,
      run: () =>
        misbehave((session) => {
          for (let count = 0; count < 2000 && !session.destroyed; count++) {
            const stream = session.request({
              ":method": "POST",
              ":path": "/api/graphql",
              "content-type": "application/json",
            });
            stream.on("error", () => undefined);
            stream.close();
          }
        }),
    },
    {
      name: `settings flood ${index}`,
      run: () =>
        misbehave((session) => {
          for (let count = 0; count < 2000 && !session.destroyed; count++)
            session.settings({ initialWindowSize: 1000 + count });
        }),
    },
    {
      name: `ping flood ${index}`,
      run: () =>
        misbehave((session) => {
          for (let count = 0; count < 2000 && !session.destroyed; count++) session.ping(() => undefined);
        }),
    },
    {
      name: `headers without end ${index}`,
      run: () =>
        misbehave((session) => {
          const many = Object.fromEntries(Array.from({ length: 200 }, (_, count) => [`x-${count}`, "a".repeat(300)]));
          session.request({ ":method": "GET", ":path": "/healthz", ...many }).on("error", () => undefined);
        }),
    },
  ]),
);
