import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { checked } from "../settings/reading/problems.ts";
import { renderStack } from "./render-stack.ts";

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: {
          readonly name: string;
          readonly ports?: { readonly name: string; readonly containerPort: number }[];
        }[];
      };
    };
    readonly podSelector: { readonly matchLabels?: Record<string, string> };
    readonly ingress?: {
      readonly from?: { readonly namespaceSelector?: { readonly matchLabels: Record<string, string> } }[];
      readonly ports: { readonly port: number }[];
    }[];
  };
}

const own = { engine: 9090, "auth-sidecar": 9090 };
const withExporters = { ...own, gateway: 9090, "database-exporter": 9187, "sessions-exporter": 9121 };

test.each([
  ["off", own],
  ["scrape", withExporters],
])("on Kubernetes with %s, the ports named metrics are open to one namespace", async (monitoring, expected) => {
  const { files } = await renderStack("prod", { engine: "embedded", monitoring, metricsNamespace: "observers" });
  const objects = [...files].flatMap(([path, text]) =>
    /^\d.*\.yaml$/.test(path) ? parseAllDocuments(text).map((document) => document.toJS() as Rendered) : [],
  );
  const containers = objects
    .filter(({ kind }) => ["Deployment", "StatefulSet"].includes(kind))
    .flatMap(({ spec }) => spec.template.spec.containers);
  const ports = Object.fromEntries(
    containers.flatMap(({ name, ports: named = [] }) =>
      named.filter((port) => port.name === "metrics").map((port) => [name, port.containerPort]),
    ),
  );
  expect(ports).toEqual(expected);

  const open = objects
    .filter(({ kind }) => kind === "NetworkPolicy")
    .flatMap(({ spec }) =>
      (spec.ingress ?? [])
        .filter(({ from = [] }) =>
          from.some(
            ({ namespaceSelector }) => namespaceSelector?.matchLabels["kubernetes.io/metadata.name"] === "observers",
          ),
        )
        .map((rule) => [spec.podSelector.matchLabels?.["app.kubernetes.io/name"], rule.ports[0]?.port]),
    );
  expect(Object.fromEntries(open)).toEqual(ports);
});

test("Kubernetes rejects the monitoring stack and names the alternative", () => {
  expect(() => checked({ engine: "embedded", monitoring: "stack" }, "prod")).toThrow("use scrape");
});

test("with the Prometheus operator there are a PodMonitor, the alerts and the dashboard", async () => {
  const kinds = async (monitoring: string): Promise<string[]> => {
    const { files } = await renderStack("prod", { engine: "embedded", monitoring });
    const objects = [...files].flatMap(([path, text]) =>
      /^\d.*\.yaml$/.test(path) ? parseAllDocuments(text).map((document) => document.toJS() as Rendered) : [],
    );
    return objects
      .filter(
        ({ kind, metadata }) => /^(PodMonitor|PrometheusRule)$/.test(kind) || metadata.name === "routeql-dashboard",
      )
      .map(({ kind }) => kind);
  };
  expect((await kinds("operator")).toSorted((one, other) => one.localeCompare(other))).toEqual([
    "ConfigMap",
    "PodMonitor",
    "PrometheusRule",
  ]);
  expect(await kinds("scrape")).toEqual([]);
});
