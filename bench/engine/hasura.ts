import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { apply, withPoolSize } from "@routeql/engine/apply-metadata/apply";
import { MetadataApi } from "@routeql/engine/apply-metadata/metadata-api";
import { frontNode } from "@routeql/infra/services/embedded-engine";
import { loadMetadata } from "@routeql/metadata/read/load";
import type { StartedDatabaseContainer } from "@routeql/tests/harness/containers/database-container";
import { freePorts } from "@routeql/tests/harness/free-ports";
import { startHasura } from "@routeql/tests/harness/containers/hasura-container";
import { residentMegabytes, ServerProcess } from "../measure/server-process.ts";
import { prepareWrites, withWrites } from "./writes.ts";
import { type GraphqlContender, graphqlContender, jwtSecret, makeToken, startEngineProcess } from "./contenders.ts";

const poolSize = 10;

/** Hasura asked directly, through a bare proxy and through the front, and the embedded engine. @throws without HASURA_IMAGE */
export async function startBesideHasura(
  database: StartedDatabaseContainer,
  started: AsyncDisposableStack,
): Promise<GraphqlContender[]> {
  const databaseUrl = database.getConnectionUri("engine");
  await prepareWrites(database);
  const token = await makeToken();
  const unavailable = (isMissing: unknown, reason?: string): void => {
    if (isMissing === true) throw new Error(reason);
  };
  const hasura = started.use(
    await startHasura({ skip: unavailable as never }, database.getConnectionUri("metadata"), {
      HASURA_GRAPHQL_JWT_SECRET: jwtSecret,
      HASURA_GRAPHQL_ENABLED_LOG_TYPES: "startup,http-log",
      HASURA_GRAPHQL_PG_CONNECTIONS: "5",
      ROUTEQL_DATABASE_URL: databaseUrl,
    }),
  );
  const metadata = withWrites(loadMetadata(resolve(import.meta.dirname, "../../hasura-metadata")).merged);
  await apply(new MetadataApi(hasura), withPoolSize(metadata, poolSize));
  const { hostname: host, port } = new URL(hasura.address);
  const measured = {
    // Threads of Hasura end, and only these sums keep their time: fields 14 and 15 of proc(5), in hundredths of a second.
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${hasura.pid}/stat`, "latin1").replace(/.*\) /, "").split(" ");
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    residentMegabytes: () => residentMegabytes(hasura.pid),
    readyMilliseconds: hasura.readyMilliseconds,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };

  const [proxyPort = 0] = await freePorts(1);
  const proxy = await ServerProcess.start({
    name: "proxy",
    args: [join(import.meta.dirname, "proxy-server.ts")],
    environment: { PORT: String(proxyPort), UPSTREAM: hasura.address, POOL_SIZE: "16" },
    readyUrl: `http://127.0.0.1:${proxyPort}/healthz`,
  });
  started.use(proxy);
  const environment = { ENGINE_POOL_SIZE: String(poolSize) };
  const front = await startEngineProcess(databaseUrl, {
    name: "front",
    flags: frontNode.slice(1),
    environment: {
      ...environment,
      MALLOC_ARENA_MAX: "1",
      ENGINE_UPSTREAM: hasura.address,
      ENGINE_UPSTREAM_SECRET: hasura.adminSecret,
    },
  });
  started.use(front);
  const file = join(await mkdtemp(join(tmpdir(), "routeql-bench-")), "metadata.json");
  await writeFile(file, JSON.stringify(metadata));
  started.defer(() => rm(dirname(file), { recursive: true }));
  const engine = await startEngineProcess(databaseUrl, { environment, metadata: file });
  started.use(engine);
  return [
    graphqlContender("Hasura", measured, { host, port: Number(port), token }),
    graphqlContender("proxy and Hasura", proxy, { port: proxyPort, token }),
    graphqlContender("front and Hasura", front.server, front),
    graphqlContender("embedded engine", engine.server, engine),
  ];
}
