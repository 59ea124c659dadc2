import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

async function keepText(stream: Readable, place: string[]): Promise<void> {
  place.push(await text(stream));
}

/** A chat at any path and an outside watchdog on one HTTP port, and a mail server without a login. */
export class AlertReceivers {
  readonly chat: string[] = [];
  readonly watchdog: string[] = [];
  readonly mails: string[] = [];
  /** Requests to the address that the chat redirects to. */
  readonly redirected: string[] = [];
  /** Status of the chat's answers. */
  status = 200;
  readonly #http = createServer((request, response) => {
    const [place, status] =
      request.url === "/watchdog"
        ? ([this.watchdog, 200] as const)
        : request.url === "/inside"
          ? ([this.redirected, 200] as const)
          : ([this.chat, this.status] as const);
    request.once("end", () => response.writeHead(status, { location: "/inside" }).end("ok"));
    void keepText(request, place);
  });
  readonly #mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: (stream, _session, done) => {
      stream.once("end", () => done());
      void keepText(stream, this.mails);
    },
  });

  /** Ports of the HTTP server and of the mail server. */
  async start(): Promise<{ readonly http: number; readonly mail: number }> {
    await new Promise<void>((resolve) => void this.#http.listen(0, resolve));
    await new Promise<void>((resolve) => void this.#mail.listen(0, "0.0.0.0", resolve));
    return {
      http: (this.#http.address() as AddressInfo).port,
      mail: (this.#mail.server.address() as AddressInfo).port,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.close();
    await new Promise<void>((resolve) => this.#mail.close(resolve));
  }
}
