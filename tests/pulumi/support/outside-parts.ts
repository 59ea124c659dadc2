import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "../../harness/certificate.ts";
import { DatabaseContainer, type StartedDatabaseContainer } from "../../harness/containers/database-container.ts";
import { noteSecret } from "../../harness/run/evidence.ts";
import { hostAddress } from "../../harness/docker/host-address.ts";
import { image } from "../../harness/containers/image.ts";
import { SessionsContainer } from "../../harness/containers/sessions-container.ts";
import { TestNetwork } from "../../harness/docker/test-network.ts";

const folder = "/run/routeql/tls";

/** A Postgres and a session store outside any stack, encrypted, at an address of this machine that containers reach. */
export interface OutsideParts extends AsyncDisposable {
  readonly database: StartedDatabaseContainer;
  /** `postgres://…` of an administrator without superuser rights, with the given or the current password, for a database that does not exist yet. */
  readonly databaseUrl: (password?: string) => string;
  readonly sessionsUrl: string;
  /** Certificate authority of both, PEM. */
  readonly authority: string;
}

export async function startOutsideParts(): Promise<OutsideParts> {
  await using started = new AsyncDisposableStack();
  const network = started.use(await TestNetwork.create());
  const host = hostAddress();
  const { certificate, privateKey } = await makeCertificate("ecdsa", host);
  const files = [
    { target: `${folder}/certificate.pem`, content: certificate, mode: 0o444 },
    { target: `${folder}/private-key.pem`, content: privateKey, mode: 0o444 },
  ];
  // Postgres rejects a key that other users can read.
  const postgres = `install -m 0600 ${folder}/private-key.pem /tmp/key.pem && exec entrypoint postgres -c ssl=on -c ssl_cert_file=${folder}/certificate.pem -c ssl_key_file=/tmp/key.pem`;
  const valkey = [
    "--port",
    "0",
    "--tls-port",
    "6379",
    "--tls-auth-clients",
    "no",
    "--tls-cert-file",
    `${folder}/certificate.pem`,
    "--tls-key-file",
    `${folder}/private-key.pem`,
  ];
  const database = started.use(
    await new DatabaseContainer(await image("database"))
      .withoutMigrations()
      .withNetworkMode(network.name)
      .withCopyContentToContainer(files)
      .withCommand(["bash", "-c", postgres])
      .start(),
  );
  const sessions = started.use(
    await new SessionsContainer(await image("sessions"))
      .withNetworkMode(network.name)
      .withCopyContentToContainer(files)
      .withCommand([...valkey, "--tls-ca-cert-file", `${folder}/certificate.pem`])
      .start(),
  );
  const password = randomBytes(16).toString("hex");
  noteSecret("password of the administrator outside", password);
  await using superuser = await database.connect("bootstrap");
  await superuser.query(`create role administrator login createrole createdb password '${password}'`);
  const all = started.move();
  return {
    database,
    databaseUrl: (other = password) =>
      `postgres://administrator:${other}@${host}:${database.getPublishedPort(5432)}/routes`,
    sessionsUrl: `rediss://${sessions.getLogin()}@${host}:${sessions.getPublishedPort(6379)}`,
    authority: certificate,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Settings of a stack that uses them; the authority's file is below `folder`. */
export async function settingsFor(
  { databaseUrl, sessionsUrl, authority }: OutsideParts,
  below: string,
): Promise<Record<string, string>> {
  const file = join(below, "authority.pem");
  await writeFile(file, authority);
  return {
    DATABASE: "external",
    DATABASE_URL: databaseUrl(),
    DATABASE_CA_FILE: file,
    SESSIONS: "external",
    SESSIONS_URL: sessionsUrl,
    SESSIONS_CA_FILE: file,
  };
}
