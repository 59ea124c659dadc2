import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { GenericContainer, type StartedTestContainer } from "testcontainers";
import { describeArchive, withArchive } from "@routeql/infra/services/archive";
import { describeDatabase } from "@routeql/infra/services/database";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import type { GivenSettings } from "@routeql/infra/settings/list";
import { DatabaseContainer, type StartedDatabaseContainer } from "./database-container.ts";
import { image } from "./image.ts";
import { mustRun } from "../process.ts";
import { newVolume, removeVolume } from "../docker/memory-volume.ts";
import { runLabels } from "../run/run.ts";

const data = "/var/lib/postgresql/data";
/** Folders that only root reads, on the disks of the data and of the archive. */
export const lostAndFound = [data, "/var/lib/pgbackrest"].map((disk) => `${disk}/lost+found`);
const sources = ["database-data", "database-archive", "database-socket"] as const;

/** Where the archive is. */
export interface Place {
  /** Size in MiB of the archive's volume, which is then in memory. */
  readonly megabytes?: number;
  /** An object storage on this machine, with the secrets of its login by name. */
  readonly storage?: {
    readonly settings: GivenSettings;
    readonly authority: string;
    readonly host: string;
    readonly secrets: Readonly<Record<string, string>>;
  };
}

export interface Ended {
  readonly exitCode: number;
  readonly output: string;
}

/** A database with its archive as in a stack, and a container with the archive's program and files. */
export class ArchivedDatabase implements AsyncDisposable {
  readonly server: StartedDatabaseContainer;
  readonly #keeper: StartedTestContainer;
  readonly #volumes: readonly string[];

  private constructor(server: StartedDatabaseContainer, keeper: StartedTestContainer, volumes: readonly string[]) {
    this.server = server;
    this.#keeper = keeper;
    this.#volumes = volumes;
  }

  static async start({ megabytes, storage }: Place = {}): Promise<ArchivedDatabase> {
    const settings = withDefaults({ archiveQueueMegabytes: 64, ...storage?.settings }, "archived");
    const surroundings = { storageAuthority: storage?.authority };
    const described = withArchive(describeDatabase(settings), settings, surroundings);
    const archive = describeArchive(settings, surroundings);
    // Known settings give known values.
    const environment = { ...archive.environment, ...described.environment } as Record<string, string>;
    const secretFiles = Object.entries(archive.secrets).map(
      ([variable, name]) => [variable, `/run/routeql/secrets/${name}`] as const,
    );
    const volumes: Record<string, string> = {};
    for (const source of sources)
      volumes[source] = await newVolume(source, source === "database-archive" ? megabytes : undefined);
    const secrets: Readonly<Record<string, string>> = {
      "archive-key": randomBytes(24).toString("hex"),
      ...storage?.secrets,
    };
    const withFiles = <Container extends GenericContainer>(container: Container): Container => {
      container
        .withLabels(runLabels)
        .withEnvironment({ ...environment, ...Object.fromEntries(secretFiles) })
        .withExtraHosts(storage === undefined ? [] : [{ host: storage.host, ipAddress: "host-gateway" }])
        .withCopyContentToContainer([
          ...secretFiles.map(([, target]) => ({ target, content: secrets[basename(target)]!, mode: 0o444 })),
          ...Object.entries(archive.files).map(([path, content]) => ({
            target: `/run/routeql/${path}`,
            // A known value: the authority of the storage.
            content: content as string,
            mode: 0o444,
          })),
        ])
        .withBindMounts([
          ...Object.entries(described.shared ?? {}).map(([target, { source }]) => ({
            source: volumes[source]!,
            target,
          })),
          { source: volumes["database-data"]!, target: data },
        ]);
      return container;
    };
    const keeper = await withFiles(new GenericContainer(await image("database")))
      .withCommand(["sleep", "infinity"])
      .start();
    const server = await withFiles(new DatabaseContainer(await image("database")))
      .withCommand(described.command!.map(String))
      .start();
    return new ArchivedDatabase(server, keeper, Object.values(volumes));
  }

  /** Runs the archive's program. */
  run(...args: string[]): Promise<Ended> {
    return this.#keeper.exec(["pgbackrest-archive", ...args]);
  }

  /** Runs a script beside the files of the archive and of the database, as root. */
  shell(script: string): Promise<Ended> {
    return this.#keeper.exec(["bash", "-c", script], { user: "root" });
  }

  /** Runs work while the server is stopped. @returns its result, after the server answers again */
  async whileStopped<T>(work: () => Promise<T>): Promise<T> {
    await mustRun("docker", ["stop", this.server.getId()]);
    try {
      return await work();
    } finally {
      await mustRun("docker", ["start", this.server.getId()]);
      await this.inServer("bash", "-c", "for _ in {1..600}; do pg_isready --quiet && exit 0; sleep 0.1; done; exit 1");
    }
  }

  async inServer(...command: string[]): Promise<string> {
    return (await mustRun("docker", ["exec", this.server.getId(), ...command])).trim();
  }

  statement(sql: string): Promise<string> {
    const options = ["--no-psqlrc", "-qAt", "--username=postgres", "--dbname=routeql", "--command", sql];
    return this.inServer("psql", ...options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper.stop();
    await this.server.stop();
    for (const volume of this.#volumes) await removeVolume(volume);
  }
}
