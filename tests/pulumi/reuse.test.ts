import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { ComponentResource, interpolate, secret } from "@pulumi/pulumi";
import type { Output } from "@pulumi/pulumi";
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { RandomId } from "@pulumi/random";
import { expect, test } from "vitest";
import { RouteQL } from "@routeql/infra/components/routeql";
import { stackPaths } from "@routeql/host/paths";
import { acquireCli } from "@routeql/cli/pulumi/acquire";
import { openStack } from "@routeql/cli/stack/workspace";
import { newStackName } from "../harness/stack-name.ts";

const serviceApiKey = randomBytes(20).toString("hex");

/** Another team's program: their component with two of ours, one with a key from their own secret store. */
class Observatory extends ComponentResource {
  readonly address: Output<string>;

  constructor(name: string) {
    super("example:index:Observatory", name);
    const routes = new RouteQL(
      "routes",
      {
        gateway: { publicHost: "routes.example.net", httpsPort: 8443 },
        authSidecar: { serviceApiKey: secret(serviceApiKey) },
      },
      { parent: this, protectData: true },
    );
    // Unknown in the preview, like an address that another resource will have.
    const publicHost = interpolate`${new RandomId("trial", { byteLength: 4 }).hex}.example.net`;
    const trial = { gateway: { publicHost, httpPort: 8180, httpsPort: 8543, consolePort: 32_100 } };
    void new RouteQL("trial", trial, { parent: this });
    this.address = routes.url;
    this.registerOutputs({ address: this.address });
  }
}

test("another program creates the whole service twice, inside its own component", { timeout: 300_000 }, async () => {
  const name = newStackName("reuse");
  const silent = (): void => undefined;
  const cli = await acquireCli({ say: silent, show: silent, onLine: silent, signal: new AbortController().signal });
  try {
    const stack = await openStack({
      stack: name,
      cli,
      plugins: "stand-in",
      configuration: {},
      program: async () => ({ address: new Observatory("observatory").address }),
      onLine: silent,
    });
    const planned: { urn: string; inputs: string }[] = [];
    const onEvent = ({ resourcePreEvent }: EngineEvent): void => {
      const { urn, new: next } = resourcePreEvent?.metadata ?? {};
      if (urn !== undefined && !urn.includes("::pulumi:providers:"))
        planned.push({ urn, inputs: JSON.stringify(next?.inputs ?? {}) });
    };
    const { changeSummary } = await stack.preview({ onEvent });
    expect(changeSummary["create"]).toBe(planned.length);

    const ofTeam = planned.filter(({ urn }) => urn.includes("example:index:Observatory$routeql:index:RouteQL"));
    expect(ofTeam.length).toBeGreaterThan(80);
    const gateway = planned.find(({ urn }) => urn.endsWith("docker:index/container:Container::routes-gateway"));
    expect(gateway?.inputs).toContain(`routes-${name}-gateway`);
    expect(gateway?.inputs).toContain("8443");
    expect(planned.map(({ inputs }) => inputs).join("\n")).not.toContain(serviceApiKey);
  } finally {
    await rm(stackPaths(name).folder, { recursive: true, force: true });
  }
});
