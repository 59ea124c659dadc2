import { expect, test } from "vitest";
import { keptWithData } from "./bring-down.ts";

const secret = { urn: "login", type: "kubernetes:core/v1:Secret", dependencies: ["namespace", "password"] };
const resources = [
  { urn: "namespace", type: "kubernetes:core/v1:Namespace" },
  { urn: "password", type: "random:index/randomPassword:RandomPassword" },
  secret,
  { urn: "cluster", type: "kubernetes:postgresql.cnpg.io/v1:Cluster", dependencies: ["login"] },
  { urn: "engine", type: "kubernetes:apps/v1:Deployment", dependencies: ["cluster", "namespace"] },
];

test("a database cluster and its dependencies stay; resources that depend on it are deleted", () => {
  expect([...keptWithData(resources)].toSorted()).toEqual(["cluster", "login", "namespace", "password"]);
});

test("without such a cluster only the namespace stays", () => {
  expect([...keptWithData(resources.filter(({ urn }) => urn !== "cluster"))]).toEqual(["namespace"]);
});
