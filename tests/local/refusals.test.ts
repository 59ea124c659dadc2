import { Container, Network, Secret } from "@pulumi/docker";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { PrivateKey } from "@pulumi/tls";
import { expect, test } from "vitest";
import { type TinyStack, tinyStack } from "./support/tiny-stack.ts";

async function refusal(tiny: TinyStack, program: PulumiFn): Promise<string> {
  const error: unknown = await tiny.up(program).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return (error as { lastLines: string[] }).lastLines.join("\n");
}

test("rejects an unsupported resource type by name", async () => {
  await using tiny = await tinyStack();
  const text = await refusal(tiny, async () => void new Secret("secret", { name: "s", data: "ZGF0YQ==" }));
  expect(text).toContain("does not support the resource type docker:index/secret:Secret");
});

test("rejects an unsupported property by name, also a nested one", async () => {
  await using tiny = await tinyStack();
  const text = await refusal(
    tiny,
    async () =>
      void new Container("container", {
        name: `routeql-${tiny.name}-a`,
        image: "debian:trixie-slim",
        gpus: "all",
        ports: [{ internal: 70_000.5 }],
      }),
  );
  expect(text).toContain("gpus");
  expect(text).toContain("does not support this property");
  expect(text).toContain("ports.0.internal");
});

test("rejects a value that only the real provider supports, with the reason", async () => {
  await using tiny = await tinyStack();
  expect(await refusal(tiny, async () => void new PrivateKey("key", { algorithm: "RSA" }))).toContain(
    "only the algorithm ECDSA",
  );
  expect(await refusal(tiny, async () => void new Network("network", { name: "n", ipv6: true }))).toContain("ipv6");
});
