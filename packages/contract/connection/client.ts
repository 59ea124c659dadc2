/** node-postgres with libpq's meaning of `sslmode`. */
import { readFileSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
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
  { sslmode = "prefer", sslrootcert }: Encryption,
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

/** A client that asks the server before it encrypts, where the URL leaves this to the server. */
export class LibpqClient extends pg.Client {
  readonly #asksFirst: boolean;
  readonly #timeout: number;

  constructor(config: LibpqConfig) {
    super(config);
    this.#asksFirst = config.encryptIfOffered === true;
    this.#timeout = config.connectionTimeoutMillis ?? 0;
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
      else this.#doNotEncrypt();
      return await super.connect();
    } catch (error) {
      offering.delete(key);
      throw error;
    }
  }

  /** node-postgres decides this in its constructor. */
  #doNotEncrypt(): void {
    const inner = this as unknown as { ssl: unknown; readonly connection: { ssl: unknown } };
    inner.ssl = false;
    inner.connection.ssl = false;
  }
}

/** {@link LibpqClient} for the pools of node-postgres, whose types omit the configuration. */
export const LibpqPoolClient = LibpqClient as unknown as new () => pg.ClientBase;
