import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { renderGateway } from "@routeql/nginx/testing/gateway";
import { makeCertificate, type TestCertificate } from "../harness/certificate.ts";
import { mustRun } from "../harness/process.ts";
import { roomySettings, type StartedGateway } from "./support/gateway-container.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
let before: TestCertificate;
let after: TestCertificate;
beforeAll(async () => {
  [before, after] = [await makeCertificate(), await makeCertificate()];
  parts = await startGatewayParts({
    certificate: before,
    edit: (files) => {
      // The gateway checks twice a minute; here each second.
      files["follow.sh"] = (files["follow.sh"] ?? "").replace("certificate_seconds=30", "certificate_seconds=1");
    },
  });
});
afterAll(() => parts[Symbol.asyncDispose]());

const fingerprint = (certificate: TestCertificate): string =>
  new X509Certificate(certificate.certificate).fingerprint256;

async function shown(): Promise<string> {
  // The fingerprint identifies the certificate.
  const socket = connect({
    host: parts.gateway.getHost(),
    port: parts.gateway.port("api"),
    servername: "localhost",
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.end();
  await once(socket.resume(), "close");
  return fingerprint256;
}

test("loads a certificate renewed in place without a restart", async () => {
  expect(await shown()).toBe(fingerprint(before));
  await parts.gateway.replaceCertificate(after);
  const seen: string[] = [];
  const deadline = Date.now() + 60_000;
  while (seen.at(-1) !== fingerprint(after) && Date.now() < deadline) {
    seen.push(await shown());
    await delay(100);
  }
  expect(seen.at(-1)).toBe(fingerprint(after));
  for (const each of seen) expect([fingerprint(before), fingerprint(after)]).toContain(each);
  const { output } = await parts.gateway.exec(["sh", "-c", "tr '\\0' ' ' </proc/1/cmdline"]);
  expect(output).toContain("nginx: master process");
});

test("a gateway without its certificate watcher exits cleanly and is restarted", async () => {
  const killItsSleep =
    'for each in /proc/[0-9]*; do [ "$(cat "$each/comm" 2>/dev/null)" = sleep ] && kill "${each#/proc/}"; done; true';
  await parts.gateway.exec(["sh", "-c", killItsSleep]).catch(() => undefined); // The container may exit before the command does.
  const state = async (): Promise<string> =>
    (
      await mustRun("docker", ["inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", parts.gateway.getId()])
    ).trim();
  await expect.poll(state).toBe("exited 0");
});

test("loads complete changed files without a restart, and is unhealthy while it rejects them", async () => {
  await using others = await startGatewayParts();
  const { gateway } = others;
  const healthy = async (): Promise<number> => (await gateway.exec(["healthy"])).exitCode;
  expect(await healthy()).toBe(0);
  const settings = { ...roomySettings, publicHost: "other.example.net" };
  await gateway.replaceFiles(renderGateway(settings));
  await expect.poll(() => location(gateway)).toBe("https://other.example.net:8443/");
  await expect.poll(healthy).toBe(0);
  await gateway.replaceFiles({ ...renderGateway(settings), "settings.conf": "no directive;\n" });
  await delay(2500);
  expect(await healthy()).toBe(1);
  expect(await location(gateway)).toBe("https://other.example.net:8443/");
});

async function location(gateway: StartedGateway): Promise<string | null> {
  const url = `http://${gateway.getHost()}:${gateway.port("redirect")}/`;
  return (await fetch(url, { redirect: "manual" })).headers.get("location");
}
