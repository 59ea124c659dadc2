import { GenericContainer, type StartedTestContainer, type StoppedTestContainer, Wait } from "testcontainers";
import { addressOf, ReachableContainer } from "../harness/containers/container-address.ts";
import { mustRun } from "../harness/process.ts";
import { runLabels } from "../harness/run/run.ts";
import { ToxicProxy } from "../harness/containers/toxic-proxy.ts";

/** A folder below directory/ with a Dockerfile, and properties of its server that tests need. */
interface DirectoryKind {
  readonly plainPort: number;
  readonly tlsPort: number;
  /** Path of the CA that its certificate comes from, PEM. */
  readonly ca: string;
  /** Log text of a ready server; without it, open ports are enough. */
  readonly ready?: string;
  /** Command that applies the LDIF change records of its standard input as root. */
  readonly modify: string;
}

const kinds = {
  openldap: {
    plainPort: 3890,
    tlsPort: 6360,
    ca: "/directory/data/ca.pem",
    modify: "ldapmodify -x -H ldap://localhost:3890 -D cn=root,dc=example,dc=net -w directory-root",
  },
  "active-directory": {
    plainPort: 389,
    tlsPort: 636,
    ca: "/domain/ca.pem",
    modify: "ldbmodify -H /domain/private/sam.ldb",
  },
  freeipa: {
    plainPort: 3389,
    tlsPort: 3636,
    ca: "/data/tls/ca/ca.crt",
    ready: "directory ready",
    modify: "ldapmodify -x -H ldap://localhost:3389 -D 'cn=Directory Manager' -w directory-root",
  },
} as const satisfies Readonly<Record<string, DirectoryKind>>;

export type DirectoryName = keyof typeof kinds;

interface Forwarders {
  readonly plain: ToxicProxy;
  readonly tls: ToxicProxy;
}

/**
 * A directory with the entries of its folder below directory/. Its certificate names localhost, so a forwarder of this process listens
 * there for local clients.
 */
export class StartedDirectoryContainer extends ReachableContainer {
  /** PEM of the CA that the directory's certificate comes from. */
  readonly ca: string;
  readonly #kind: DirectoryKind;
  readonly #forwarders: Forwarders;

  private constructor(container: StartedTestContainer, kind: DirectoryKind, ca: string, forwarders: Forwarders) {
    super(container);
    this.#kind = kind;
    this.ca = ca;
    this.#forwarders = forwarders;
  }

  static async of(container: StartedTestContainer, kind: DirectoryKind): Promise<StartedDirectoryContainer> {
    const { output } = await container.exec(["cat", kind.ca]);
    const to = (inside: number): Promise<ToxicProxy> => {
      const { host, port } = addressOf(container, inside);
      return ToxicProxy.to(host, port);
    };
    return new StartedDirectoryContainer(container, kind, output, {
      plain: await to(kind.plainPort),
      tls: await to(kind.tlsPort),
    });
  }

  /** Address at localhost. */
  getPlainPort(): number {
    return this.#forwarders.plain.port;
  }

  /** Address at localhost, with TLS. */
  getTlsPort(): number {
    return this.#forwarders.tls.port;
  }

  /** Address of this machine for containers. */
  getPublishedTlsPort(): number {
    return this.getPublishedPort(this.#kind.tlsPort);
  }

  /** Settings of a sidecar that searches the accounts of OpenLDAP. */
  get searchSettings() {
    return {
      LDAP_URL: `ldaps://localhost:${this.getTlsPort()}`,
      LDAP_CA: this.ca,
      LDAP_BIND_DN: "cn=search,dc=example,dc=net",
      LDAP_BIND_PASSWORD: "directory-search",
      LDAP_USER_BASE: "ou=people,dc=example,dc=net",
      // On a busy machine an answer may take more than three seconds, which would return 503. Most tests check the answer, not its duration.
      LDAP_TIMEOUT_MILLISECONDS: "30000",
    };
  }

  override async stop(): Promise<StoppedTestContainer> {
    await Promise.all(
      [this.#forwarders.plain, this.#forwarders.tls].map((forwarder) => forwarder[Symbol.asyncDispose]()),
    );
    return super.stop();
  }

  /** Applies LDIF change records. */
  async change(ldif: string): Promise<void> {
    const { exitCode, output } = await this.exec(["sh", "-c", `${this.#kind.modify} <<'END'\n${ldif}\nEND`]);
    if (exitCode !== 0) throw new Error(output);
  }
}

const images = new Map<DirectoryName, Promise<string>>();

/** The image of a server, built once by each process. */
export function directoryImage(name: DirectoryName): Promise<string> {
  const known = images.get(name);
  if (known !== undefined) return known;
  const image = `routeql/test-${name}:test`;
  const folder = new URL(`directory/${name}`, import.meta.url).pathname;
  const built = mustRun("docker", ["build", "--network", "host", "-t", image, folder]).then(() => image);
  images.set(name, built);
  return built;
}

/** @param moreNames additional names of OpenLDAP's certificate, in OpenSSL's form: `IP:192.0.2.1` */
export async function startDirectory(
  name: DirectoryName = "openldap",
  moreNames = "",
): Promise<StartedDirectoryContainer> {
  const kind: DirectoryKind = kinds[name];
  const container = await new GenericContainer(await directoryImage(name))
    .withLabels(runLabels)
    .withExposedPorts(kind.plainPort, kind.tlsPort)
    .withEnvironment({ MORE_NAMES: moreNames })
    .withWaitStrategy(kind.ready === undefined ? Wait.forListeningPorts() : Wait.forLogMessage(kind.ready))
    .withStartupTimeout(120_000)
    .start();
  return StartedDirectoryContainer.of(container, kind);
}
