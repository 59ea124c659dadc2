import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Member } from "../e2e/support/clients/accounts.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { statuses } from "../harness/exchange.ts";
import { type Attack, attacks, serviceAnswers } from "./support/attack.ts";
import { countInputs } from "./support/figures.ts";
import { open, raw } from "./support/raw.ts";

const url = `${stack.url.replace("https:", "wss:")}/api/graphql`;
let token: string;

beforeAll(async () => {
  token = await (await Member.join("viewer")).freshToken();
});

interface Outcome {
  /** Close code, or 0 if the socket was still open at the end. */
  readonly code: number;
  readonly messages: readonly string[];
}

/** Opens a socket, runs `play` on it, and reports how it ended, at the latest after the time limit. */
function socket(
  play: (socket: WebSocket) => void | Promise<void>,
  { milliseconds = 30_000, protocol = "graphql-transport-ws", headers = {} } = {},
): Promise<Outcome> {
  const ws = new WebSocket(url, protocol, { ca: stack.caCertificate, headers });
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const messages: string[] = [];
  const timer = setTimeout(() => {
    resolve({ code: 0, messages });
    ws.terminate();
  }, milliseconds);
  ws.on("message", (data) => messages.push((data as Buffer).toString()));
  ws.on("open", () => void Promise.resolve(play(ws)).catch(() => undefined));
  ws.on("error", () => undefined);
  ws.on("close", (code) => {
    clearTimeout(timer);
    resolve({ code, messages });
  });
  return promise;
}

const initialise = (ws: WebSocket, more: object = {}): void =>
  ws.send(
    JSON.stringify({ type: "connection_init", payload: { headers: { Authorization: `Bearer ${token}` }, ...more } }),
  );
const data = /"type":"(next|data)"/;

/** The server closes the socket without data. */
const closes = (
  name: string,
  play: (socket: WebSocket) => void | Promise<void>,
  options: Parameters<typeof socket>[1] = {},
): Attack => ({
  name,
  async run() {
    const { code, messages } = await socket(play, options);
    if (messages.some((message) => data.test(message))) return `data: ${messages.join(" ").slice(0, 200)}`;
    return code === 0 ? "it was still open" : undefined;
  },
});

const subscribe = (id: string, query = "subscription { view_hijacks(limit: 1) { key } }") =>
  JSON.stringify({ type: "subscribe", id, payload: { query } });

attacks(
  "closes a socket that does not start as the protocol requires",
  () => [
    closes("says nothing", () => undefined),
    closes("pings alone", async (ws) => {
      for (let count = 0; count < 10 && ws.readyState === ws.OPEN; count++) {
        ws.ping();
        await sleep(1000);
      }
    }),
    closes("subscribes before connection_init", (ws) => ws.send(subscribe("1"))),
    closes("initialises twice", (ws) => {
      initialise(ws);
      initialise(ws);
    }),
    closes("initialises 500 times", (ws) => {
      for (let count = 0; count < 500; count++) initialise(ws);
    }),
    ...[
      {},
      { headers: {} },
      { headers: { Authorization: "Bearer x.y.z" } },
      { headers: { "x-hasura-role": "admin" } },
      { headers: null },
      { headers: [] },
      null,
      "text",
      1,
    ].map((payload) =>
      closes(`initialises with ${JSON.stringify(payload)} and subscribes`, (ws) => {
        ws.send(JSON.stringify({ type: "connection_init", payload }));
        ws.send(subscribe("1"));
      }),
    ),
    ...[
      "",
      "{",
      "null",
      "[]",
      "1",
      '"x"',
      "{}",
      '{"type":null}',
      '{"type":"nothing"}',
      '{"type":"next","id":"1"}',
      '{"type":"subscribe"}',
      '{"type":"subscribe","id":"","payload":{}}',
      '{"__proto__":{"type":"connection_init"}}',
      "\0",
      "x".repeat(10_000),
    ].map((text) => closes(`sends ${JSON.stringify(text).slice(0, 40)}`, (ws) => ws.send(text))),
    closes("sends bytes", (ws) => ws.send(randomBytes(100), { binary: true })),
    closes("uses an id twice", (ws) => {
      initialise(ws);
      // Queries that run long enough for the first one to be active still.
      for (let count = 0; count < 2; count++)
        ws.send(subscribe("same", 'subscription { view_hijacks(limit: 1, where: {key: {_eq: "none"}}) { nothing } }'));
      ws.send(JSON.stringify({ type: "connection_init" }));
    }),
  ],
  { waits: true },
);

attacks(
  "oversized and invalid frames",
  () => [
    closes("a message of 300 KiB", (ws) => {
      initialise(ws);
      ws.send(subscribe("1", `subscription { view_hijacks(limit: 1) { key } } #${"x".repeat(300 * 1024)}`));
    }),
    closes("a message of 20 MiB", (ws) => ws.send("x".repeat(20 * 1024 * 1024))),
    closes("fragments that together are too large", (ws) => {
      for (let count = 0; count < 400 && ws.readyState === ws.OPEN; count++) ws.send("x".repeat(1024), { fin: false });
      ws.send("x", { fin: true });
    }),
    closes("10,000 fragments of one byte that never end", (ws) => {
      for (let count = 0; count < 10_000 && ws.readyState === ws.OPEN; count++) ws.send("x", { fin: false });
    }),
    ...Object.entries({
      "an unmasked frame": [0x81, 0x02, 0x7b, 0x7d],
      "a reserved bit": [0xc1, 0x80, 0, 0, 0, 0],
      "an unknown opcode": [0x83, 0x80, 0, 0, 0, 0],
      "a fragmented ping": [0x09, 0x80, 0, 0, 0, 0],
      "a ping of 126 bytes": [0x89, 0xfe, 0x00, 0x7e, 0, 0, 0, 0, ...Array.from({ length: 126 }, () => 0x61)],
      "a continuation of nothing": [0x80, 0x80, 0, 0, 0, 0],
      "a length of 2^63": [0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
      "text that is not UTF-8": [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
      "a close code of 1": [0x88, 0x82, 0, 0, 0, 0, 0x00, 0x01],
      "a close of one byte": [0x88, 0x81, 0, 0, 0, 0, 0x03],
    }).map(([name, frame]): Attack => ({
      name,
      async run() {
        const upgrade = `GET /api/graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`;
        const socket = open();
        const { promise, resolve } = Promise.withResolvers<boolean>();
        let text = "";
        socket.setTimeout(30_000, () => socket.destroy());
        socket.on("data", (chunk: Buffer) => {
          if (text === "") socket.write(Buffer.from(frame));
          text += chunk.toString("latin1");
        });
        const startedAt = performance.now();
        socket.on("error", () => undefined).on("close", () => resolve(performance.now() - startedAt < 29_000));
        socket.write(upgrade);
        const ended = await promise;
        if (!text.startsWith("HTTP/1.1 101 ")) return `no upgrade: ${text.slice(0, 100)}`;
        return ended ? undefined : "it was still open";
      },
    })),
  ],
  { waits: true },
);

const handshake = (lines: readonly string[], path = "/api/graphql"): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n${lines.join("\r\n")}${lines.length > 0 ? "\r\n" : ""}\r\n`;

attacks("ASVS 4.4.2: a page of another origin opens no socket, with cookies or without", () =>
  [
    "https://attacker.example",
    "http://localhost",
    "https://localhost.attacker.example",
    "null",
    "https://attacker.example:443",
    "file://",
    "https://localhost:1",
    `${stack.url}.attacker.example`,
    `https://attacker.example#${stack.url}`,
  ].flatMap((origin) =>
    [[], ["Cookie: sid=x; token=y"], [`Authorization: Bearer ${token}`]].map((more): Attack => ({
      name: `${origin} ${more.length}`,
      async run() {
        const text = await raw(handshake([`Origin: ${origin}`, ...more]));
        return statuses(text)[0] === 101 ? "it did" : undefined;
      },
    })),
  ),
);

attacks("accepts an upgrade only at one path, in one form", () =>
  [
    ...[
      "/",
      "/api/auth/jwt",
      "/jwt/auth",
      "/healthz",
      "/v1/graphql",
      "/-/graphql-websocket",
      "/api/graphql/",
      "/console",
    ].map((path) => handshake([], path)),
    handshake([]).replace("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 7"),
    handshake([]).replace("Sec-WebSocket-Version: 13\r\n", ""),
    handshake([]).replace(/Sec-WebSocket-Key: .*\r\n/, ""),
    handshake([]).replace(/Sec-WebSocket-Key: .*\r\n/, "Sec-WebSocket-Key: x\r\n"),
    handshake([]).replace("Upgrade: websocket", "Upgrade: h2c"),
    handshake([]).replace("Upgrade: websocket", "Upgrade: websocket, h2c"),
    handshake([]).replace("GET ", "POST "),
    handshake([]).replace("HTTP/1.1", "HTTP/1.0"),
  ].map((bytes, index): Attack => ({
    name: `upgrade ${index}`,
    async run() {
      return statuses(await raw(bytes))[0] === 101 ? bytes.slice(0, 80) : undefined;
    },
  })),
);

test(
  "subscriptions that hold too many bytes end the connection, and none of them stays",
  { timeout: 90_000 },
  async () => {
    // Each holds about 3.6 MB of the 64 MiB that may wait for clients. 09-afterwards checks that the engine is idle at the end.
    const conditions = "{key: {_eq: $value}} ".repeat(900);
    const query = `subscription($value: String) { view_hijacks(limit: 1, where: {_or: [${conditions}]}) { key } }`;
    const codes: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const payload = { query, variables: { value: `${round}${"x".repeat(2_000)}` } };
      const { code } = await socket((ws) => {
        initialise(ws);
        for (let id = 0; id < 22; id += 1) ws.send(JSON.stringify({ type: "subscribe", id: String(id), payload }));
      });
      codes.push(code);
    }
    countInputs("subscriptions that hold too many bytes", codes.length, codes.filter((code) => code === 0).length);
    expect(new Set(codes)).toEqual(new Set([1013]));
    await serviceAnswers();
  },
);

test("thousands of idle sockets and floods leave the service answering", { timeout: 180_000 }, async () => {
  const count = 2000;
  const idle: Promise<Outcome>[] = [];
  // In portions, each after the previous one is connected: 2,000 concurrent handshakes would block this process, which also acts as the
  // normal client.
  for (let portion = 0; portion < count; portion += 100) {
    const begun = Array.from({ length: 100 }, () => {
      const connected = Promise.withResolvers<void>();
      const outcome = socket(() => connected.resolve(), { milliseconds: 60_000 });
      idle.push(outcome);
      return Promise.race([connected.promise, outcome]);
    });
    await Promise.all(begun);
  }
  const flooding = Array.from({ length: 10 }, () =>
    socket(
      (ws) => {
        initialise(ws);
        for (let index = 0; index < 2000 && ws.readyState === ws.OPEN; index++)
          ws.send(index % 2 === 0 ? '{"type":"ping"}' : subscribe(String(index), "{ nothing }"));
      },
      { milliseconds: 10_000 },
    ),
  );
  const answering = (async () => {
    for (let index = 0; index < 10; index++) {
      await serviceAnswers();
      await sleep(500);
    }
  })();
  const outcomes = await Promise.all(idle);
  await Promise.all(flooding);
  await answering;
  const open = outcomes.filter(({ code }) => code === 0).length;
  countInputs("idle sockets and floods", count + flooding.length, open);
  expect(open).toBe(0);
  await serviceAnswers();
});

test(
  "five hundred allowed sockets with subscriptions are served beside other clients",
  { timeout: 180_000 },
  async () => {
    const served = new Set<WebSocket>();
    const outcomes: Promise<Outcome>[] = [];
    // In portions, each after the previous one is authenticated. A socket that does not authenticate within three seconds is closed, and 500
    // concurrent handshakes would delay this process beyond that.
    for (let portion = 0; portion < 500; portion += 50) {
      const begun = Array.from({ length: 50 }, () => {
        const letIn = Promise.withResolvers<void>();
        const outcome = socket(
          (ws) => {
            initialise(ws);
            ws.on("message", (message) => {
              const text = (message as Buffer).toString();
              if (text.includes("connection_ack")) {
                ws.send(subscribe("1"));
                letIn.resolve();
              }
              if (data.test(text)) served.add(ws);
            });
          },
          { milliseconds: 150_000 },
        );
        outcomes.push(outcome);
        return Promise.race([letIn.promise, outcome]);
      });
      await Promise.all(begun);
    }
    await expect
      .poll(() => [...served].filter((ws) => ws.readyState === ws.OPEN).length, { timeout: 60_000 })
      .toBe(500);
    await serviceAnswers();
    for (const ws of served) ws.close(1000);
    expect(new Set((await Promise.all(outcomes)).map(({ code }) => code))).toEqual(new Set([1000]));
  },
);
