/** A directory that answers as a test wants, for answers that no real server gives on demand. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** Tags of requests (RFC 4511, 4.2 to 4.5). */
export const operations = { bind: 0x60, unbind: 0x42, search: 0x63 } as const;

export interface Request {
  readonly id: number;
  readonly operation: number;
  /** The request's bytes as text, to look for names in it. */
  readonly text: string;
}

const element = (tag: number, content: Buffer): Buffer => {
  const { length } = content;
  const head = length < 0x80 ? [length] : [0x84, ...Buffer.from([length >>> 24, length >>> 16, length >>> 8, length])];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
};
const octets = (text: string | Buffer): Buffer => element(0x04, Buffer.from(text as string));
const message = (id: number, operation: Buffer): Buffer =>
  element(0x30, Buffer.concat([element(0x02, Buffer.from([id])), operation]));

/** The result of a bind or a search, with a code of RFC 4511, appendix A. */
export const result = ({ id, operation }: Request, code: number, text = ""): Buffer =>
  message(
    id,
    element(
      operation === operations.bind ? 0x61 : 0x65,
      Buffer.concat([element(0x0a, Buffer.from([code])), octets(""), octets(text)]),
    ),
  );

export const entry = (
  { id }: Request,
  dn: string,
  attributes: Readonly<Record<string, readonly (string | Buffer)[]>>,
): Buffer => {
  const list = Object.entries(attributes).map(([name, values]) =>
    element(0x30, Buffer.concat([octets(name), element(0x31, Buffer.concat(values.map(octets)))])),
  );
  return message(id, element(0x64, Buffer.concat([octets(dn), element(0x30, Buffer.concat(list))])));
};

/** Length of the first complete message, or undefined. */
function read(data: Buffer): { readonly request: Request; readonly length: number } | undefined {
  const first = data[1];
  if (first === undefined) return undefined;
  const extra = first < 0x80 ? 0 : first - 0x80;
  if (data.length < 2 + extra) return undefined;
  const start = 2 + extra;
  const length = start + (extra === 0 ? first : data.readUIntBE(2, extra));
  if (data.length < length) return undefined;
  const idLength = data[start + 1]!;
  const id = data.readUIntBE(start + 2, idLength);
  const operation = data[start + 2 + idLength]!;
  return { request: { id, operation, text: data.toString("latin1", start, length) }, length };
}

export class FakeDirectory implements AsyncDisposable {
  readonly port: number;
  readonly requests: Request[] = [];
  readonly #close: () => void;

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.#close = close;
  }

  /** @param answer the bytes for a request; it may also write to the socket itself */
  static async start(answer: (request: Request, socket: Socket) => readonly Buffer[]): Promise<FakeDirectory> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      let pending = Buffer.alloc(0);
      socket.on("data", (chunk: Buffer) => {
        pending = Buffer.concat([pending, chunk]);
        for (let found = read(pending); found !== undefined; found = read(pending)) {
          pending = pending.subarray(found.length);
          fake.requests.push(found.request);
          if (found.request.operation === operations.unbind) socket.end();
          else for (const bytes of answer(found.request, socket)) socket.write(bytes);
        }
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const fake = new FakeDirectory((server.address() as AddressInfo).port, () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return fake;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
  }
}
