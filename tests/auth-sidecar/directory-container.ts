import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { mustRun } from "../harness/process.ts";
import { runLabels } from "../harness/run.ts";

const ROOT = ["-x", "-H", "ldap://localhost:3890", "-D", "cn=root,dc=example,dc=net", "-w", "directory-root"];

/** OpenLDAP with the entries of directory/entries.ldif. */
export class StartedDirectoryContainer extends AbstractStartedContainer {
  /** PEM of the CA that the directory's certificate comes from. */
  readonly ca: string;

  constructor(container: StartedTestContainer, ca: string) {
    super(container);
    this.ca = ca;
  }

  getPlainPort(): number {
    return this.getMappedPort(3890);
  }

  getTlsPort(): number {
    return this.getMappedPort(6360);
  }

  /** Applies LDIF change records. */
  async change(ldif: string): Promise<void> {
    const script = `ldapmodify ${ROOT.map((word) => `'${word}'`).join(" ")} <<'END'\n${ldif}\nEND`;
    const { exitCode, output } = await this.exec(["sh", "-c", script]);
    if (exitCode !== 0) throw new Error(output);
  }
}

/** @param moreNames what its certificate is for besides localhost, as OpenSSL writes it: `IP:192.0.2.1` */
export async function startDirectory(moreNames = ""): Promise<StartedDirectoryContainer> {
  const name = "routeql/test-directory:test";
  await mustRun("docker", ["build", "--network", "host", "-t", name, new URL("directory", import.meta.url).pathname]);
  const container = await new GenericContainer(name)
    .withLabels(runLabels)
    .withExposedPorts(3890, 6360)
    .withEnvironment({ MORE_NAMES: moreNames })
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const { output } = await container.exec(["cat", "/directory/data/ca.pem"]);
  return new StartedDirectoryContainer(container, output);
}
