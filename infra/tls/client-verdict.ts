/** Whether a client accepts a certificate: OpenSSL's verdict over a TLS connection in memory, in a thread that the program waits for. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";

export interface Presented {
  /** PEM: the certificate, then its chain. */
  readonly certificate: string;
  /** PEM. */
  readonly privateKey: string;
  /** Authorities that the client trusts, PEM. */
  readonly trusted: readonly string[];
}

/** OpenSSL's reason, such as `CERT_HAS_EXPIRED`; undefined if the client accepts the certificate. It does not check the name. */
type Verdict = string | undefined;

/** Runs in the thread, so it uses nothing of this module. */
function answerInThread(): void {
  const { workerData } = process.getBuiltinModule("node:worker_threads");
  const { connect, createSecureContext, TLSSocket } = process.getBuiltinModule("node:tls");
  const { duplexPair } = process.getBuiltinModule("node:stream");
  const { port, done } = workerData as Shared;
  // Level 2 is the default of Debian's OpenSSL, for servers and clients: keys of 2,048 bits, no SHA-1.
  const options = { ciphers: "DEFAULT@SECLEVEL=2", minVersion: "TLSv1.2" } as const;
  const ask = ({ certificate, privateKey, trusted }: Presented): Promise<Verdict> =>
    new Promise((resolve) => {
      // Node has no code for some of OpenSSL's reasons, such as "excluded subtree violation".
      const failed = ({ code, message }: NodeJS.ErrnoException): void =>
        resolve(code === undefined || code === "UNSPECIFIED" ? message : code);
      try {
        const [left, right] = duplexPair();
        const secureContext = createSecureContext({ ...options, cert: certificate, key: privateKey });
        const server = new TLSSocket(right, { isServer: true, secureContext });
        server.on("error", () => undefined);
        const client = connect({ ...options, socket: left, ca: [...trusted], checkServerIdentity: () => undefined });
        client.on("secureConnect", () => resolve(undefined)).on("error", failed);
      } catch (error) {
        failed(error as Error);
      }
    });
  const answer = async (each: readonly Presented[]): Promise<void> => {
    port.postMessage(await Promise.all(each.map(ask)));
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
  };
  port.on("message", (each: readonly Presented[]) => void answer(each));
}

interface Shared {
  readonly port: MessagePort;
  readonly done: Int32Array<SharedArrayBuffer>;
}

/** Starts the thread, which does not keep the program running. */
function startThread(): Shared {
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(`(${answerInThread.toString()})()`, {
    eval: true,
    workerData: { port: port2, done } satisfies Shared,
    transferList: [port2],
  });
  worker.unref();
  return { port: port1, done };
}

let thread: Shared | undefined;

/** Milliseconds. */
const patience = 30_000;

/** The verdict for each, in order. It blocks, because a program of Pulumi creates resources as soon as it waits. */
export function clientVerdicts(each: readonly Presented[]): readonly Verdict[] {
  thread ??= startThread();
  const { port, done } = thread;
  Atomics.store(done, 0, 0);
  port.postMessage(each.map(({ certificate, privateKey, trusted }) => ({ certificate, privateKey, trusted })));
  Atomics.wait(done, 0, 0, patience);
  const answer: { readonly message: readonly Verdict[] } | undefined = receiveMessageOnPort(port);
  if (answer !== undefined) return answer.message;
  thread = undefined;
  throw new Error(`OpenSSL gave no verdict about the certificate within ${patience / 1000} s. Run the command again.`);
}
