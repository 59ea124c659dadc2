import { expect, test } from "vitest";
import { previewText } from "./preview.ts";

const step = (op: string, type: string, name: string, diffs?: readonly string[]) => ({
  op,
  urn: `urn:pulumi:site::routeql::x$docker:index/y:${type}::routeql-${name}`,
  ...(diffs === undefined ? {} : { diffs }),
});

const result = {
  text: "the text of Pulumi\n",
  effects: ["Services: engine starts"],
  steps: [
    step("create", "Volume", "database"),
    step("create", "Container", "engine", ["envs"]),
    step("create-replacement", "Container", "gateway", ["ports"]),
    step("replace", "Container", "gateway", ["ports", "envs"]),
    step("create", "Container", "archive"),
    step("same", "Network", "gateway-host"),
    { op: "create", urn: "urn:pulumi:site::routeql::pulumi:pulumi:Stack::site" },
    { op: "create", urn: "urn:pulumi:site::routeql::pulumi:providers:docker::default_5_2_0" },
    { op: "create", urn: "urn:pulumi:site::routeql::routeql:index:RouteQL::routeql" },
    { op: "create", urn: "urn:pulumi:site::routeql::routeql:index:RouteQL$routeql:docker:Service::engine" },
    {
      op: "create",
      urn: "urn:pulumi:site::routeql::routeql:index:RouteQL$routeql:docker:Service$docker:index/network:Network::routeql-edge",
    },
  ],
};

test("names the changed resources in one line for each operation and type", () => {
  expect(previewText(result, "resources", "site")).toBe(
    `
Services: engine starts

create 1 Volume: database
create 2 Container: engine, archive
replace 1 Container: gateway (ports, envs)
create 1 Network: edge

Each property: npm run preview -- --stack site --diff`,
  );
});

test("prints only the effects, or each property", () => {
  expect(previewText(result, "brief", "site")).toBe("\nServices: engine starts");
  expect(previewText(result, "diff", "site")).toBe("\nServices: engine starts\n\nthe text of Pulumi");
  expect(previewText({ ...result, steps: [] }, "resources", "local")).toBe("\nServices: engine starts");
});
