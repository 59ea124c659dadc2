import { randomInt } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { describe, expect, test } from "vitest";
import { updateOwn } from "../e2e/support/own-stack.ts";
import { database } from "../e2e/support/database.ts";
import { containerOf } from "../e2e/support/docker.ts";
import { stack } from "../e2e/support/stack.ts";
import { makeCertificate, type TestCertificate } from "../harness/certificate.ts";
import { mustRun } from "../harness/process.ts";
import { trustToo } from "./support/ask.ts";
import { countFault } from "./support/figures.ts";
import { suffer } from "./support/suffer.ts";
import { theWorld } from "./support/world.ts";

const files = `${containerOf("gateway")}-files`;

describe("the certificate is renewed in its place while clients work", () => {
  test("the gateway loads it within 45 s, and no request fails", { timeout: 150_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "routeql-faults-"));
    const renewed = await makeCertificate();
    trustToo(renewed.certificate);
    const { crowd } = await theWorld();
    try {
      await mustRun("docker", ["cp", `${files}:/run/routeql/tls/certificate.pem`, join(folder, "certificate.pem")]);
      await mustRun("docker", ["cp", `${files}:/run/routeql/tls/private-key.pem`, join(folder, "private-key.pem")]);
      await crowd.served(20_000);
      const started = performance.now();
      await put(folder, renewed);
      await expect
        .poll(shownCertificate, { timeout: 45_000, interval: 500 })
        .toBe(renewed.certificate.replaceAll(/\s/g, ""));
      await crowd.served(20_000);
      const { count, complaints, requests, longest } = crowd.since(started);
      countFault({ requests, wrong: count.wrong, lost: 0, recovered: performance.now() - started, longest });
      expect(complaints).toEqual([]);
      expect(count.refused).toBe(0);
    } finally {
      for (const name of ["private-key.pem", "certificate.pem"]) await copyIn(join(folder, name), name);
      // After `docker kill` the container would count as stopped on purpose, and would not be restarted after a crash.
      await mustRun("docker", ["exec", containerOf("gateway"), "sh", "-c", "kill -HUP 1"]);
      await rm(folder, { recursive: true });
    }
    await expect.poll(shownCertificate).not.toBe(renewed.certificate.replaceAll(/\s/g, ""));
  });

  /** The key first: a reload in between would still find a pair, because the old key is in memory. */
  async function put(folder: string, { certificate, privateKey }: TestCertificate): Promise<void> {
    await writeFile(join(folder, "new-certificate.pem"), certificate, { mode: 0o444 });
    await writeFile(join(folder, "new-private-key.pem"), privateKey, { mode: 0o444 });
    await copyIn(join(folder, "new-private-key.pem"), "private-key.pem");
    await copyIn(join(folder, "new-certificate.pem"), "certificate.pem");
  }

  const copyIn = (file: string, name: string): Promise<string> =>
    mustRun("docker", ["cp", file, `${files}:/run/routeql/tls/${name}`]);
});

describe("a change is applied while clients work", () => {
  test("running the migrations again fails no request", { timeout: 120_000 }, async () => {
    const { count } = await suffer({
      inject: () => mustRun("docker", ["start", "--attach", containerOf("migrate")]),
      milliseconds: 0,
      recovery: 10_000,
      noticed: false,
    });
    expect(count.refused).toBe(0);
  });

  test("a migration of a table in use delays requests, and none fails", { timeout: 120_000 }, async () => {
    const owner = await database("owner");
    const { count } = await suffer({
      inject: async () => {
        await owner.query(
          "begin; set local lock_timeout = '10s'; alter table routing.hijacks add column faults_probe text; create index faults_probe on routing.hijacks (faults_probe); select pg_sleep(0.5); commit",
        );
      },
      undo: () => owner.query("alter table routing.hijacks drop column faults_probe"),
      milliseconds: 500,
      recovery: 20_000,
      noticed: false,
    });
    expect(count.refused).toBe(0);
  });

  test(
    "another engine limit by `up` replaces the engine, and every client is served again",
    { timeout: 240_000 },
    async () => {
      const before = await engineId();
      await suffer({
        inject: () => updateOwn(stack.name, { queryDepth: String(randomInt(11, 60)) }),
        milliseconds: 0,
        recovery: 45_000,
        noticed: true,
      });
      expect(await engineId()).not.toBe(before);
    },
  );

  const engineId = (): Promise<string> => mustRun("docker", ["inspect", "--format", "{{.Id}}", containerOf("engine")]);
});

/** The certificate that the gateway currently serves, PEM without white space. */
async function shownCertificate(): Promise<string> {
  const { hostname, port } = new URL(stack.url);
  const socket = connect({ host: hostname, port: Number(port), servername: "localhost", rejectUnauthorized: false });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
    });
    const body = socket.getPeerCertificate().raw.toString("base64");
    return `-----BEGINCERTIFICATE-----${body}-----ENDCERTIFICATE-----`;
  } finally {
    socket.destroy();
  }
}
