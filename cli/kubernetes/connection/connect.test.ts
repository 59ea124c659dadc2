import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { connectTo } from "./connect.ts";

const folder = mkdtempSync(join(tmpdir(), "routeql-connect-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A kubeconfig whose current context is a cluster at this address, where no server answers. */
function configFor(server: string): string {
  const file = join(folder, "config.json");
  const config = {
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const place = { server: "https://127.0.0.1:1", namespace: "routes", instance: "routeql-prod" };

test("sends no request to a cluster other than the stack's", async () => {
  vi.stubEnv("KUBECONFIG", configFor("https://127.0.0.1:2"));
  await expect(connectTo(place, "prod")).rejects.toThrow(
    "The stack prod runs on the cluster https://127.0.0.1:1, but kubectl's current context is https://127.0.0.1:2",
  );
});

test("reports that the stack's own cluster does not answer", async () => {
  vi.stubEnv("KUBECONFIG", configFor(place.server));
  await expect(connectTo(place, "prod")).rejects.toThrow(
    "No Kubernetes cluster answers: the Kubernetes API server https://127.0.0.1:1 does not answer: ",
  );
});
