import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const rulesOf = (file: string): readonly Rule[] =>
  (parse(readFileSync(`docs/operate/rights/${file}`, "utf8")) as { rules: Rule[] }).rules;

test("the ClusterRole of up has the rights of its Role, and creates namespaces", () => {
  const [namespaces, ...others] = rulesOf("up-cluster.yaml");
  expect(namespaces).toEqual({
    apiGroups: [""],
    resources: ["namespaces"],
    verbs: ["get", "create", "patch", "delete"],
  });
  expect(others).toEqual(rulesOf("up.yaml").slice(1));
});

test("the user of rendered manifests may annotate volumes as the page shows", () => {
  expect(readFileSync("docs/operate/kubernetes.md", "utf8")).toContain("annotate pvc --all");
  expect(rulesOf("render.yaml")).toContainEqual({
    apiGroups: [""],
    resources: ["persistentvolumeclaims"],
    verbs: ["get", "list", "patch"],
  });
});
