import { createServer } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callEdges, type ServiceDescription } from "@routeql/infra/description/service";
import { describeServices } from "@routeql/infra/services/all";
import { readConfiguration } from "@routeql/cli/configuration/configuration";
import { apiPort, apiServiceAddress } from "../kubernetes-node/layout.ts";
import { node } from "./support/node.ts";
import { looksUp, makeProbes, removeProbes, type Target, tryFrom, tryIn } from "./support/probes.ts";
import { namespace, stackName, stackSettings } from "./support/stack.ts";

const kubeletPort = 10_250;

let services: readonly ServiceDescription[];
/** The pods' own addresses, because policies apply to pods. */
let addresses: ReadonlyMap<string, string>;

const running = (): readonly ServiceDescription[] => services.filter(({ run }) => run === "service");

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly status: { readonly podIP: string; readonly phase: string };
  }[];
}

beforeAll(async () => {
  const { plain } = await readConfiguration(stackName, stackSettings(node));
  services = describeServices(plain, { hostOf: (name) => name, certificate: "", stack: "policies" });
  await makeProbes(services.map(({ name }) => name));
  const { items } = await node.get<Pods>(
    "pods",
    `--namespace=${namespace}`,
    "--selector=probe!=true",
    "--field-selector=status.phase=Running",
  );
  addresses = new Map(items.map(({ metadata, status }) => [metadata.labels["app.kubernetes.io/name"]!, status.podIP]));
}, 120_000);

afterAll(removeProbes);

const portsOf = ({ listens, ports, metricsPort }: ServiceDescription): number[] => [
  ...new Set([
    ...listens.map(({ port }) => port),
    ...ports.map(({ internal }) => internal),
    ...(metricsPort === undefined ? [] : [metricsPort]),
  ]),
];

test("each service has one policy, one policy denies everything, and there are no others", async () => {
  const { items } = await node.get<{ items: { metadata: { name: string } }[] }>(
    "networkpolicies",
    `--namespace=${namespace}`,
  );
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(
    ["deny-all", ...services.map(({ name }) => name)].toSorted(),
  );
});

test("each service reaches exactly the ports of its declared callees", { timeout: 240_000 }, async () => {
  const declared = new Set(callEdges(services).map((edge) => edge.join(" → ")));
  let tried = 0;
  for (const { name } of services) {
    const targets = running().flatMap((callee) =>
      portsOf(callee).map((port) => ({ callee, host: addresses.get(callee.name)!, port })),
    );
    const outcomes = await tryFrom(
      name,
      targets.map(({ host, port }): Target => ({ host, port })),
    );
    targets.forEach(({ callee, port }, index) => {
      const allowed =
        declared.has(`${name} → ${callee.name}`) && callee.listens.some((listening) => listening.port === port);
      expect(outcomes[index], `${name} → ${callee.name}:${port}`).toBe(allowed ? "connected" : "forbidden");
      tried += 1;
    });
  }
  expect(tried).toBeGreaterThan(services.length * 4);
});

test(
  "no service reaches external addresses, API server or kubelet, and only callers have DNS",
  { timeout: 120_000 },
  async () => {
    const server = createServer((socket) => socket.destroy());
    server.listen(0, "0.0.0.0");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    // The machine's end of the node's link.
    const machine = { host: node.address.replace(/\.2$/, ".1"), port };
    const ofNode = [
      { host: node.address, port: apiPort },
      { host: apiServiceAddress, port: 443 },
      { host: node.address, port: kubeletPort },
    ];
    const targets = [machine, ...ofNode];
    try {
      await Promise.all(
        services.map(async ({ name, calls }) => {
          expect(await tryFrom(name, targets), name).toEqual(targets.map(() => "forbidden"));
          expect(await looksUp(name, "kubernetes.default.svc.cluster.local"), name).toBe(calls.length > 0);
        }),
      );
    } finally {
      server.close();
    }
  },
);

test("a pod of another namespace reaches only published ports", { timeout: 300_000 }, async () => {
  const outside = `${namespace}-outside`;
  await node.kubectl(["create", "namespace", outside]);
  try {
    const { items } = await node.get<{ items: { spec: { containers: { image: string }[] } }[] }>(
      "pods",
      `--namespace=${namespace}`,
      "--selector=app.kubernetes.io/name=auth-sidecar",
    );
    const image = items[0]!.spec.containers[0]!.image;
    await node.kubectl([
      "run",
      "stranger",
      `--namespace=${outside}`,
      `--image=${image}`,
      "--image-pull-policy=Never",
      "--command",
      "--",
      "sleep",
      "600",
    ]);
    await node.kubectl(["wait", `--namespace=${outside}`, "pod/stranger", "--for=condition=Ready", "--timeout=180s"]);
    // No policy selects this pod, so the ports of the node answer: the test above proves policies.
    const kubelet = { host: node.address, port: kubeletPort };
    expect(await tryIn(outside, "stranger", [kubelet])).toEqual(["connected"]);
    const targets = running().flatMap((callee) =>
      portsOf(callee).map((port) => ({ callee, host: addresses.get(callee.name)!, port })),
    );
    const outcomes = await tryIn(
      outside,
      "stranger",
      targets.map(({ host, port }) => ({ host, port })),
    );
    targets.forEach(({ callee, port }, index) => {
      const published = callee.ports.some(({ internal }) => internal === port);
      expect(outcomes[index], `${callee.name}:${port}`).toBe(published ? "connected" : "forbidden");
    });
  } finally {
    await node.kubectl(["delete", "namespace", outside, "--wait=false"]);
  }
});
