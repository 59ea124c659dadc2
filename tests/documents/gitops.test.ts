import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { loginRole } from "@routeql/database/migrate/roles";
import { type RenderedStack, renderStack } from "@routeql/infra/rendering/render-stack";
import { databaseAddress } from "@routeql/infra/services/database-place";

/** An example of docs/operate/gitops, and the objects of a rendered stack. */
interface Example {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  // The test reads deep fields of foreign kinds.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

const objectsOf = (text: string): Example[] => parseAllDocuments(text).map((document) => document.toJS() as Example);
const exampleOf = (file: string): Example[] => objectsOf(readFileSync(`docs/operate/gitops/${file}`, "utf8"));

let rendered: RenderedStack;
const renderedOf = (kind: string, path: string): Example =>
  objectsOf(rendered.files.get(path) ?? "").find((object) => object.kind === kind)!;
// A rendering loads the whole program: it takes seconds, or minutes on a busy machine.
beforeAll(async () => {
  rendered = await renderStack("prod", { engine: "embedded" });
}, 300_000);

test("the overlay has the namespace and the folders of a rendered stack", () => {
  const [overlay] = exampleOf("kustomization.yaml");
  // Another namespace would not be that of the rendered addresses.
  expect(overlay).not.toHaveProperty("namespace");
  const folders = ["../base/namespace", "../base"];
  expect(overlay?.["resources"]).toEqual(folders);
  for (const folder of folders)
    expect(rendered.files.has(`${folder}/kustomization.yaml`.replace(/^\.\.\/base\//, ""))).toBe(true);
});

test("Argo CD and Flux read the overlay, and prune", () => {
  const [application] = exampleOf("argo-cd.yaml");
  expect(application?.["spec"]).toMatchObject({
    source: { path: "manifests/prod" },
    syncPolicy: { automated: { prune: true }, syncOptions: ["PruneLast=true"] },
  });
  const [repository, kustomization] = exampleOf("flux.yaml");
  expect(kustomization?.["spec"]).toMatchObject({ path: "./manifests/prod", prune: true, wait: true });
  expect(kustomization?.["spec"].sourceRef).toEqual({ kind: repository?.kind, name: repository?.metadata.name });
  expect(repository?.["spec"].url).toBe(application?.["spec"].source.repoURL);
});

test("the nightly backup reaches the database as its role, with the rights of a pod of the stack", () => {
  const [claim, cron] = exampleOf("backup.yaml") as [Example, Example];
  const { metadata, spec } = cron["spec"].jobTemplate.spec.template;
  const database = renderedOf("StatefulSet", "11-database.yaml")["spec"].template.spec;
  const migrate = renderedOf("Job", "12-migrate.yaml")["spec"].template;
  expect(migrate.metadata.labels).toMatchObject(metadata.labels);
  expect(database.securityContext).toMatchObject(spec.securityContext);
  const [container] = spec.containers;
  expect(database.containers[0].securityContext).toMatchObject(container.securityContext);
  // A network plugin may connect a new pod only after some seconds.
  expect(container.command.at(-1)).toMatch(/pg_isready[^\n]*\n *pg_dump/);
  const env = Object.fromEntries(
    container.env.map((variable: { name: string; value?: string }) => [variable.name, variable.value]),
  );
  expect(env).toMatchObject({ PGHOST: "database", PGDATABASE: databaseAddress.name, PGUSER: loginRole("backup") });
  expect(rendered.files.get("10-secrets.yaml")).toContain('"backup-password"');
  expect(spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  expect(rendered.images.map((image) => image.replace(/:.*/, ""))).toContain("routeql/database");
  expect(container.image).toMatch(/\/routeql\/database:[0-9a-f]{12}$/);
});
