import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Connection } from "./connection.ts";

let server: Server | undefined;

afterEach(() => void server?.close());

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const ready = message("Z", Buffer.from("I"));

/** A row of one column. */
function row(bytes: number): Buffer {
  const head = Buffer.alloc(6);
  head.writeInt16BE(1, 0);
  head.writeInt32BE(bytes, 2);
  return message("D", Buffer.concat([head, Buffer.alloc(bytes, "x")]));
}

/** A server with the subset of Postgres' protocol that a connection needs; it answers each turn with these bytes. */
async function open(answer: (socket: Socket) => void, limit: number, lost: string[]): Promise<Connection> {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(Buffer.concat([message("R", Buffer.alloc(4)), message("K", Buffer.alloc(8)), ready]));
      socket.on("data", () => answer(socket));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Connection.open(
    { host: "127.0.0.1", port, user: "engine", database: "engine" },
    (_connection, error) => lost.push(error.message),
    limit,
  );
}

const statement = { text: "SELECT 1", name: undefined, values: [] };
const complete = Buffer.concat([
  message("1", Buffer.alloc(0)),
  message("2", Buffer.alloc(0)),
  message("C", Buffer.from("SELECT 1\0")),
  ready,
]);

test("each statement may return as many bytes as the limit", async () => {
  const lost: string[] = [];
  const connection = await open((socket) => socket.write(Buffer.concat([row(900_000), complete])), 1_000_000, lost);
  for (let count = 0; count < 3; count += 1) expect(await connection.query(statement)).toHaveLength(1);
  expect(lost).toEqual([]);
  await connection.close();
});

test.each<[string, (socket: Socket) => void]>([
  ["one long value", (socket) => socket.write(row(50_000_000))],
  ["many rows", (socket) => socket.write(Buffer.concat(Array.from({ length: 20_000 }, () => row(100))))],
])("%s over the limit closes the connection with a clear error", async (_title, answer) => {
  const connection = await open(answer, 1_000_000, []);
  await expect(connection.query(statement)).rejects.toMatchObject({
    code: "unexpected",
    message: "the answer is larger than the limit of 1000000 bytes. Request fewer rows or less nesting",
  });
  expect(connection.isUsable).toBe(false);
  await connection.close();
});
