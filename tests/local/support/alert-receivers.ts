import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

/** A chat and an outside watchdog on one HTTP port, and a mail server without a login. */
export class AlertReceivers {
  readonly chat: string[] = [];
  readonly watchdog: string[] = [];
  readonly mails: string[] = [];
  /** Status of the chat's answers. */
  status = 200;
  readonly #http = createServer(async (request, response) => {
    (request.url === "/watchdog" ? this.watchdog : this.chat).push(await text(request));
    response.writeHead(request.url === "/watchdog" ? 200 : this.status).end("ok");
  });
  readonly #mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: (stream, _session, done) => void text(stream).then((mail) => (this.mails.push(mail), done())),
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
