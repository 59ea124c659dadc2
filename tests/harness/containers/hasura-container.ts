import { randomBytes } from "node:crypto";
import { engineSettings } from "@routeql/infra/settings/declared/images";
import { GenericContainer, Wait } from "testcontainers";
import type { TestContext } from "vitest";
import { leftOut } from "../run/left-out.ts";
import { addressOf } from "./container-address.ts";
import { keepLog } from "../run/logs.ts";
import { mustRun, run } from "../process.ts";
import { runLabels } from "../run/run.ts";

/** Hasura's own server, with all its APIs. */
export interface HasuraServer extends AsyncDisposable {
  /** `http://…` without a trailing slash. */
  readonly address: string;
  readonly adminSecret: string;
  /** Id of its process on this machine. */
  readonly pid: number;
  /** From the start of the process, in a new metadata database, to its first answer. */
  readonly readyMilliseconds: number;
}

/** Starts the image in HASURA_IMAGE, by default the pinned one. Skips the test if this machine does not have it. */
export async function startHasura(
  context: Pick<TestContext, "skip">,
  metadataDatabase: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<HasuraServer> {
  const image = process.env["HASURA_IMAGE"] ?? engineSettings.hasuraImage.default;
  const { code } = await run("docker", ["image", "inspect", image]);
  context.skip(
    code !== 0,
    leftOut(`this machine does not have Hasura's image ${image}; HASURA_IMAGE names another one`),
  );
  const adminSecret = randomBytes(24).toString("hex");
  const container = await new GenericContainer(image)
    .withLabels(runLabels)
    .withExposedPorts(8080)
    .withEnvironment({
      HASURA_GRAPHQL_METADATA_DATABASE_URL: metadataDatabase,
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
      HASURA_GRAPHQL_ENABLE_TELEMETRY: "false",
      ...settings,
    })
    .withLogConsumer(keepLog("hasura"))
    .withWaitStrategy(Wait.forHttp("/healthz", 8080))
    .start();
  const ready = Date.now();
  const { host, port } = addressOf(container, 8080);
  const state = await mustRun("docker", [
    "inspect",
    "--format",
    "{{.State.Pid}} {{.State.StartedAt}}",
    container.getId(),
  ]);
  const [pid, started = ""] = state.trim().split(" ");
  return {
    address: `http://${host}:${port}`,
    adminSecret,
    pid: Number(pid),
    readyMilliseconds: ready - Date.parse(started),
    async [Symbol.asyncDispose]() {
      await container.stop();
    },
  };
}
