/** node-postgres with libpq's meaning of `sslmode`. */
import { X509Certificate } from "node:crypto";
import type { EventEmitter } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { callbackify } from "node:util";
import pg from "pg";
import { type Connection, type Encryption, isSocket } from "./connection.ts";
import { protectFromIssuers } from "./peer-certificates.ts";
import { certificatesOf, PemError, pemOf, textOfPem } from "../pem.ts";
import { ConnectionUrlError } from "./url.ts";

protectFromIssuers();

/** A configuration for {@link LibpqClient}. */
export interface LibpqConfig extends pg.ClientConfig {
  /** Whether the connection is encrypted only where the server offers it (`prefer`, `allow`). */
  readonly encryptIfOffered?: boolean;
  /** Whether a server without channel binding is refused (`channel_binding=require`). */
  readonly requireChannelBinding?: boolean;
}

function authority(file: string): string | undefined {
  try {
    return pemOf(certificatesOf(textOfPem(readFileSync(file))));
  } catch (error) {
    if (error instanceof PemError) throw new ConnectionUrlError(`the file of sslrootcert ${error.message}`);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConnectionUrlError(`the file of sslrootcert cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The user's own authority. As in libpq, one that cannot be found is none: the user of a container may have no home. */
function ownAuthority(home: () => string): string | undefined {
  let file: string;
  try {
    file = join(home(), ".postgresql/root.crt");
    statSync(file);
  } catch {
    return undefined;
  }
  return authority(file);
}

/** With an authority libpq verifies the certificate, also for `require`; without one it encrypts only. `verify-full` checks the name too. */
export function encryptionConfig(
  { sslmode = "prefer", sslrootcert, channelBinding }: Encryption,
  pem?: string,
  home: () => string = homedir,
): LibpqConfig {
  if (sslmode === "disable") return { ssl: false };
  const isSystem = sslrootcert === "system";
  const ca = isSystem ? undefined : (pem ?? (sslrootcert === undefined ? ownAuthority(home) : authority(sslrootcert)));
  if (sslmode.startsWith("verify") && ca === undefined && !isSystem)
    throw new ConnectionUrlError(
      `sslmode=${sslmode} needs the certificate authority of the server. Give it, or sslrootcert=system with sslmode=verify-full`,
    );
  const verifies = ca !== undefined || isSystem;
  return {
    ssl: {
      rejectUnauthorized: verifies,
      ...(ca === undefined ? {} : { ca }),
      ...(verifies && sslmode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    },
    ...(sslmode === "prefer" || sslmode === "allow" ? { encryptIfOffered: true } : {}),
    enableChannelBinding: channelBinding !== "disable",
    ...(channelBinding === "require" ? { requireChannelBinding: true } : {}),
  };
}

/** The configuration for a URL. @param connection as `readConnection` returns it */
export function clientConfig(connection: Connection): LibpqConfig {
  const { host, port, user, password, database } = connection;
  return {
    host: host === "" ? "localhost" : host,
    port,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    // libpq does not encrypt the traffic of a socket.
    ...encryptionConfig(isSocket(host) ? { sslmode: "disable" } : connection),
  };
}

/** A server that does not do what `channel_binding=require` demands. */
export class ChannelBindingError extends Error {
  override readonly name = "ChannelBindingError";

  constructor(reason: string) {
    super(`${reason}, and the URL has channel_binding=require`);
  }
}

/** Message SSLRequest of Postgres' protocol. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const accepts = "S".charCodeAt(0);

function offersEncryption(host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port });
    if (timeout > 0) socket.setTimeout(timeout, () => socket.destroy(new Error("timeout expired")));
    socket.once("connect", () => socket.write(sslRequest));
    socket.once("data", (answer) => {
      resolve(answer[0] === accepts);
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("Connection terminated unexpectedly")));
  });
}

/** Servers that offered it to this process, until a connection fails. A refusal is not kept: the server may offer it from now on. */
const offering = new Set<string>();

const bindingMechanism = "SCRAM-SHA-256-PLUS";

/** Signatures of a certificate whose digest node-postgres computes: RSA, RSASSA-PSS and ECDSA. Postgres has none for Ed25519. */
const bindableSignatures: ReadonlySet<string> = new Set([
  ...[4, 5, 10, 11, 12, 13].map((each) => `1.2.840.113549.1.1.${each}`),
  ...["1", "3.2", "3.3", "3.4"].map((each) => `1.2.840.10045.4.${each}`),
]);

function isBindable(stream: Duplex): boolean {
  // As node-postgres reads it. After getPeerX509Certificate(), Node 24 returns no certificate here.
  const raw = stream instanceof TLSSocket ? (stream.getPeerCertificate() as Partial<PeerCertificate>).raw : undefined;
  return raw !== undefined && bindableSignatures.has(new X509Certificate(raw).signatureAlgorithmOid);
}

/** Private fields of node-postgres. */
interface Inner {
  ssl: unknown;
  enableChannelBinding: boolean;
  /** Null as soon as the signature of the server is verified. */
  readonly saslSession: unknown;
  readonly connection: EventEmitter & { ssl: unknown; readonly stream: Duplex };
}

/** A client that asks the server before it encrypts, where the URL leaves this to the server, and that can require channel binding. */
export class LibpqClient extends pg.Client {
  readonly #asksFirst: boolean;
  readonly #requiresBinding: boolean;
  readonly #timeout: number;

  constructor(config: LibpqConfig) {
    super(config);
    this.#asksFirst = config.encryptIfOffered === true;
    this.#requiresBinding = config.requireChannelBinding === true;
    this.#timeout = config.connectionTimeoutMillis ?? 0;
    // A broken connection fails the next statement. Without a listener the event would end the process, also for a client that a pool has lent.
    this.on("error", () => undefined);
    this.#inner.connection.on("authenticationSASL", () => {
      this.#inner.enableChannelBinding &&= isBindable(this.#inner.connection.stream);
    });
    if (this.#requiresBinding) this.#refuseOtherLogins();
  }

  get #inner(): Inner {
    return this as unknown as Inner;
  }

  /** As in libpq, before a password or a proof of it is sent. These listeners precede those that node-postgres adds when it connects. */
  #refuseOtherLogins(): void {
    const { connection } = this.#inner;
    let isOffered = false;
    const refuse = (reason: string): void => {
      connection.stream.destroy();
      connection.emit("error", new ChannelBindingError(reason));
    };
    const unbound = (): void => refuse("the server offers no login with channel binding");
    connection.on("authenticationCleartextPassword", unbound);
    connection.on("authenticationMD5Password", unbound);
    connection.on("authenticationSASL", ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
      isOffered = mechanisms.includes(bindingMechanism);
      if (!isOffered) unbound();
      else if (!this.#inner.enableChannelBinding)
        refuse("the signature of the server's certificate has no digest for channel binding");
    });
    connection.on("authenticationOk", () => {
      if (!isOffered || this.#inner.saslSession !== null) unbound();
    });
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (callback === undefined) return this.#connect();
    callbackify(() => this.#connect())(callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    if (!this.#asksFirst) return super.connect();
    const key = `${this.host} ${this.port}`;
    try {
      if (offering.has(key) || (await offersEncryption(this.host, this.port, this.#timeout))) offering.add(key);
      else if (this.#requiresBinding) throw new ChannelBindingError("the server offers no TLS");
      else this.#doNotEncrypt();
      return await super.connect();
    } catch (error) {
      offering.delete(key);
      throw error;
    }
  }

  /** node-postgres decides this in its constructor. */
  #doNotEncrypt(): void {
    const inner = this.#inner;
    inner.ssl = false;
    inner.connection.ssl = false;
    inner.enableChannelBinding = false;
  }
}

/** {@link LibpqClient} for the pools of node-postgres, whose types omit the configuration. */
export const LibpqPoolClient = LibpqClient as unknown as new () => pg.ClientBase;
