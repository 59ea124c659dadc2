import { randomBytes } from "node:crypto";
import { rootCertificates } from "node:tls";
import { pins } from "@routeql/pins/pins";
import { beforeAll, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type GivenSettings, settingNames, settings } from "../settings/list.ts";
import { checkValue } from "../settings/reading/parse.ts";
import { describeStack } from "../testing/descriptions.ts";
import { secretSignature } from "./record.ts";
import { imagesOf, manifestOf } from "./manifest.ts";
import { type RenderedStack, renderStack } from "./render-stack.ts";
import { placeholder, type SecretTemplate, secretTemplate, withoutSecrets } from "./secret-templates.ts";

const secrets = {
  engineAccessKey: randomBytes(24).toString("hex"),
  serviceApiKey: randomBytes(24).toString("hex"),
  adminPassword: randomBytes(12).toString("hex"),
  databaseUrl: `postgres://root:${randomBytes(12).toString("hex")}@192.0.2.8:6432/routes`,
  sessionsUrl: `rediss://:${randomBytes(12).toString("hex")}@sessions.example.net`,
};
const given: GivenSettings = {
  ...secrets,
  engine: "embedded",
  database: "external",
  sessions: "external",
  publicHost: "routes.example.net",
};

interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
const objectsIn = ({ files }: RenderedStack): Rendered[] =>
  [...files].flatMap(([path, text]) =>
    /\d\d-.*\.yaml$/.test(path) ? parseAllDocuments(text).map((document) => document.toJS() as Rendered) : [],
  );
const fileOf = ({ files }: RenderedStack, service: string): string | undefined =>
  [...files].find(([path]) => path.endsWith(`-${service}.yaml`))?.[1];

let single: RenderedStack;
let outside: RenderedStack;
beforeAll(async () => {
  single = await renderStack("prod", { engine: "embedded" });
  outside = await renderStack("prod", given);
});

test("writes a file for each service in start order", () => {
  const services = describeStack({ target: "kubernetes", archive: false });
  expect([...single.files.keys()]).toEqual([
    "01-network-policies.yaml",
    "10-secrets.yaml",
    ...services.map(({ name }, index) => `${11 + index}-${name}.yaml`),
    "90-autoscalers.yaml",
    "images.txt",
    "kustomization.yaml",
    "namespace/00-namespace.yaml",
    "namespace/kustomization.yaml",
  ]);
});

test("lists every file in the kustomization and gives every object the wave of its file", () => {
  const { resources } = parse(single.files.get("kustomization.yaml") ?? "") as { resources: string[] };
  expect(resources).toEqual([...single.files.keys()].filter((path) => /^\d/.test(path)));
  for (const path of resources) {
    for (const document of parseAllDocuments(single.files.get(path) ?? "")) {
      const { metadata } = document.toJS() as { metadata: { annotations: Record<string, string> } };
      expect(metadata.annotations["argocd.argoproj.io/sync-wave"]).toBe(String(Number(path.slice(0, 2))));
    }
  }
});

test("writes no secret to any file, not even in a derived name", async () => {
  const text = [...outside.files.values()].join("\n");
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
  expect(text).not.toContain(new URL(secrets.databaseUrl).password);
  const others = {
    ...given,
    engineAccessKey: randomBytes(24).toString("hex"),
    adminPassword: randomBytes(12).toString("hex"),
  };
  expect([...(await renderStack("prod", others)).files]).toEqual([...outside.files]);
});

test("refuses to write a private key, whatever setting contains it", async () => {
  const key = "-----BEGIN PRIVATE KEY-----";
  const directory = { ldapUrl: "ldaps://ldap.example.net", ldapUserBase: key };
  await expect(renderStack("prod", { engine: "embedded", ...directory })).rejects.toThrow(
    "auth-sidecar.yaml would contain a private key",
  );
});

interface Templates {
  readonly generated: readonly string[];
  readonly secrets: Readonly<Record<string, SecretTemplate>>;
}
/** The templates of the job that composes the Secrets. */
function templatesOf(rendered: RenderedStack): Templates {
  const maps = objectsIn(rendered) as unknown as { data?: Record<string, string> }[];
  return JSON.parse(maps.map(({ data }) => data?.["templates.json"]).find((text) => text !== undefined)!) as Templates;
}
const valuesOf = ({ secrets: byName }: Templates): string[] =>
  Object.values(byName).flatMap(({ data }) => Object.values(data));

test("composes each URL inside the cluster from generated passwords, and renders no Secret", () => {
  expect(objectsIn(single).map(({ kind }) => kind)).not.toContain("Secret");
  const templates = templatesOf(single);
  expect(valuesOf(templates)).toContain("postgres://routeql_sidecar:{{sidecar-password}}@database:5432/routeql");
  const used = valuesOf(templates).flatMap((value) => value.match(/(?<={{).+?(?=}})/g) ?? []);
  expect([...new Set(used)].toSorted()).toEqual(templates.generated);
});

test("names the values that only the owner has", () => {
  expect(valuesOf(templatesOf(outside))).toContain("rediss://:{{sessionsUrl}}@sessions.example.net");
  const owned = "adminPassword, databaseUrl, engineAccessKey, serviceApiKey, sessionsUrl";
  expect(outside.notes).toContain(`It needs these values in the Secret given-secrets: ${owned}.`);
  expect(single.notes.join("\n")).not.toContain("given-secrets");
});

test("the authorities of an object storage are in their Secret, and no value of the owner", async () => {
  const authorities = rootCertificates.slice(0, 3).join("\n");
  const rendered = await renderStack("prod", {
    engine: "embedded",
    database: "cloudnative-pg",
    backupDestination: "s3://backups/routes",
    backupEndpoint: "https://storage.example.net",
    backupCaFile: authorities,
  });
  expect(rendered.notes.join("\n")).not.toContain("authorities.pem");
  const { secrets: byName } = templatesOf(rendered);
  expect(Object.values(byName).flatMap(({ data }) => data["authorities.pem"] ?? [])).toEqual([
    expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
  ]);
});

test("the settings of all pods are those of the job `secrets` too", async () => {
  const pods = JSON.stringify({ all: { labels: { team: "routes" }, annotations: { "example.net/a": "b" } } });
  const rendered = await renderStack("prod", { engine: "embedded", pods });
  const job = objectsIn(rendered).find(({ kind, metadata }) => kind === "Job" && metadata.name.startsWith("secrets-"));
  expect(job).toMatchObject({
    spec: {
      template: {
        metadata: {
          labels: { team: "routes", "app.kubernetes.io/name": "secrets" },
          annotations: { "example.net/a": "b" },
        },
      },
    },
  });
});

test("writes the same files for the same settings", async () => {
  expect([...(await renderStack("prod", { engine: "embedded" })).files]).toEqual([...single.files]);
});

test("writes complete objects in the namespace, without Pulumi's own fields", () => {
  const objects = objectsIn(single);
  expect(new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).size).toBe(objects.length);
  for (const { apiVersion, kind, metadata } of objects) {
    expect(apiVersion).toMatch(/^([a-z0-9.]+\/)?v\d$/);
    if (kind !== "Namespace") expect(metadata.namespace).toBe("routeql-prod");
  }
  expect([...single.files.values()].join("\n")).not.toContain("pulumi");
});

test("lists have the fields that the API server fills in, which Argo CD compares", () => {
  const claims = objectsIn(single).flatMap(
    (object) => (object as { spec?: { volumeClaimTemplates?: object[] } }).spec?.volumeClaimTemplates ?? [],
  );
  expect(claims).toHaveLength(2);
  for (const claim of claims)
    expect(claim).toMatchObject({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      spec: { volumeMode: "Filesystem" },
    });
});

test("renders every object that another one references", () => {
  const objects = objectsIn(single);
  const maps = objects.filter(({ kind }) => kind === "ConfigMap").map(({ metadata }) => metadata.name);
  const names = new Set([...maps, ...Object.keys(templatesOf(single).secrets)]);
  const referred = [
    ...JSON.stringify(objects).matchAll(/"(?:configMap|secret)":\{"items":\[[^\]]*\],"name":"([^"]+)"/g),
  ].map(([, name]) => name);
  expect(referred.length).toBeGreaterThan(5);
  for (const name of referred) if (name !== "gateway-certificate") expect(names).toContain(name);
});

test("puts external services into the policies by address and port", () => {
  const policies = outside.files.get("01-network-policies.yaml") ?? "";
  expect(policies).toContain("cidr: 192.0.2.8/32");
  expect(policies).toContain("port: 6432");
  expect([...outside.files.keys()].join(" ")).not.toMatch(/database|sessions/);
});

test("lists every image of a pod once, as the nodes know it", async () => {
  const settings: GivenSettings = {
    engine: "hasura",
    imageRegistry: "registry.example.net",
    database: "cloudnative-pg",
  };
  const rendered = await renderStack("prod", settings);
  const images = rendered.files.get("images.txt")?.trim().split("\n") ?? [];
  expect(images).toContain(pins.hasura.image);
  expect(images).toContain(pins.postgresCluster.image);
  expect(images.filter((image) => /^registry\.example\.net\/routeql\/gateway:[0-9a-f]{12}$/.test(image))).toHaveLength(
    1,
  );
  const inPods = [...[...rendered.files.values()].join("\n").matchAll(/^\s*(?:- )?image(?:Name)?: (.+)$/gm)].map(
    ([, image]) => image,
  );
  expect(new Set(images)).toEqual(new Set(inPods));
  expect(images).toEqual([...new Set(images)].toSorted());
});

test("expects a generated certificate in a Secret and prints that as a task", async () => {
  expect(single.notes.join("\n")).toContain("expected in the Secret gateway-certificate");
  expect(fileOf(single, "gateway")).toContain("name: gateway-certificate");
  const issued = await renderStack("prod", { engine: "embedded", certificateIssuer: "letsencrypt" });
  expect(fileOf(issued, "gateway")).toContain("kind: Certificate");
  expect(issued.notes.join("\n")).not.toContain("expected in the Secret");
});

test("keeps values that are not secret", () => {
  expect(withoutSecrets({ publicHost: "routes.example.net", httpsPort: 8443 })).toEqual({
    publicHost: "routes.example.net",
    httpsPort: 8443,
  });
});

test("keeps a URL's address and drops its password", () => {
  const { databaseUrl } = withoutSecrets({
    databaseUrl: "postgres://root:hidden@db.example.net:6432/routes?sslmode=require",
  });
  expect(databaseUrl).toBe(`postgres://root:${placeholder("databaseUrl")}@db.example.net:6432/routes?sslmode=require`);
});

test.each(["postgres://root:hid#den@db:5432/routes", "postgres://root@db/routes?password=hidden"])(
  "reads the database URL %s as libpq does",
  (databaseUrl) => {
    const password = placeholder("databaseUrl");
    expect(withoutSecrets({ databaseUrl })).toEqual({ databaseUrl: `postgres://root:${password}@db:5432/routes` });
  },
);

test("replaces every secret setting by a value that passes its validation", () => {
  const examples: Record<string, string> = {
    databaseUrl: "postgres://root:hidden@db/routes",
    sessionsUrl: "redis://:hidden@sessions",
    alertWebhookUrl: "https://hidden.example.net",
    alertWatchdogUrl: "https://hidden.example.org",
  };
  for (const name of settingNames.filter((candidate) => settings[candidate].type === "secret")) {
    const { [name]: replaced } = withoutSecrets({ [name]: examples[name] ?? "hidden" });
    expect(replaced).not.toContain("hidden");
    expect(checkValue(name, replaced), name).toBeUndefined();
  }
});

const secret = (value: unknown): unknown => ({ [secretSignature]: "1b47061264138c4ac30d75fd1eb44270", value });
const inputs = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };

test("renders only Kubernetes objects", () => {
  expect(manifestOf({ type: "random:index/randomPassword:RandomPassword", name: "a", inputs: {} })).toBeUndefined();
});

test("turns placeholders into names, and hides a value without one", () => {
  for (const stringData of [
    secret({ "secrets..url": `redis://:${placeholder("word")}@a`, "secrets..key": "hidden", username: "owner" }),
    {
      "secrets..url": secret(`redis://:${placeholder("word")}@a`),
      "secrets..key": secret("hidden"),
      username: secret("owner"),
    },
  ]) {
    const resource = { type: "kubernetes:core/v1:Secret", name: "a", inputs: { ...inputs, stringData } };
    expect(manifestOf(resource)).toBeUndefined();
    expect(secretTemplate(resource, ["word"])).toEqual({
      type: "Opaque",
      data: { "secrets..url": "redis://:{{word}}@a", "secrets..key": "{{key}}", username: "owner" },
    });
  }
});

test("rejects a secret anywhere else and names its place, not its value", () => {
  const bad = { ...inputs, kind: "ConfigMap", data: { a: [secret("hidden")] } };
  const render = () => manifestOf({ type: "kubernetes:core/v1:ConfigMap", name: "files", inputs: bad });
  expect(render).toThrow("files.data.a[0] is secret and cannot be rendered.");
  expect(render).not.toThrow("hidden");
});

test("drops Pulumi's annotations and keeps others", () => {
  const annotations = { "pulumi.com/skipAwait": "true" };
  const rendered = (more: object) =>
    manifestOf({
      type: "kubernetes:core/v1:Service",
      name: "a",
      inputs: { ...inputs, kind: "Service", metadata: { name: "a", annotations: { ...annotations, ...more } } },
    });
  expect(rendered({})?.metadata).toEqual({ name: "a" });
  expect(rendered({ "example.net/a": "b" })?.metadata).toEqual({ name: "a", annotations: { "example.net/a": "b" } });
});

test("finds images at any depth of workloads, but not in files", () => {
  const pod = { containers: [{ image: "b" }, { image: "a" }] };
  expect(
    imagesOf([
      { ...inputs, kind: "Deployment", spec: { template: { spec: pod } } },
      { ...inputs, kind: "Cluster", spec: { imageName: "c" } },
      { ...inputs, kind: "Job", spec: { template: { spec: pod } } },
      { ...inputs, kind: "ConfigMap", spec: { image: "no" } },
    ]),
  ).toEqual(["a", "b", "c"]);
});

test("a rotation by generations renders new Secrets and pods, and keeps pods with data", async () => {
  const rotated = { databasePasswordsGeneration: 2, sessionsPasswordGeneration: 2, serviceApiKeyGeneration: 2 };
  const after = await renderStack("prod", { engine: "embedded", ...rotated });
  const changed = [...single.files]
    .filter(([path, text]) => after.files.get(path) !== text)
    .map(([path]) => path.slice(3));
  expect(changed).toEqual(["secrets.yaml", "migrate.yaml", "auth-sidecar.yaml", "engine.yaml"]);
});

test("another generation of the given Secret renders other Secrets and pods of its readers only", async () => {
  const after = await renderStack("prod", { ...given, givenSecretsGeneration: 2 });
  const secretNames = (stack: RenderedStack): Set<string> => new Set(Object.keys(templatesOf(stack).secrets));
  const added = [...secretNames(after).difference(secretNames(outside))].map((name) => name.replace(/-[^-]+$/, ""));
  expect(added).toEqual(["auth-sidecar-secrets", "engine-secrets", "migrate-secrets"]);
  expect(valuesOf(templatesOf(after)).toSorted()).toEqual(valuesOf(templatesOf(outside)).toSorted());
  const before = new Set(objectsIn(outside).map((object) => JSON.stringify(object)));
  const changed = objectsIn(after).filter((object) => !before.has(JSON.stringify(object)));
  const workloads = changed.filter(({ kind }) => /^(Deployment|StatefulSet)$/.test(kind));
  expect(workloads.map(({ metadata }) => metadata.name)).toEqual(["auth-sidecar", "engine"]);
});

test("neither a prune nor the deletion of the application deletes the namespace", () => {
  expect(parse(single.files.get("namespace/00-namespace.yaml") ?? "")).toMatchObject({
    metadata: {
      annotations: {
        "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
        "kustomize.toolkit.fluxcd.io/prune": "disabled",
      },
    },
  });
});

test("neither Argo CD nor Flux prunes files while former pods may start with them", () => {
  const annotated = objectsIn(single).filter(({ kind }) => kind === "ConfigMap") as unknown as {
    immutable?: boolean;
    metadata: { annotations: Record<string, string> };
  }[];
  expect(annotated.filter(({ immutable }) => immutable).length).toBeGreaterThan(2);
  for (const { immutable = false, metadata } of annotated)
    expect(metadata.annotations).toMatchObject({
      "kustomize.toolkit.fluxcd.io/substitute": "disabled",
      ...(immutable
        ? { "argocd.argoproj.io/sync-options": "PruneLast=true", "kustomize.toolkit.fluxcd.io/prune": "disabled" }
        : {}),
    });
});

test("keeps the namespace out of the kustomization that kubectl delete -k takes", () => {
  const resourcesOf = (path: string): string[] =>
    (parse(single.files.get(path) ?? "") as { resources: string[] }).resources;
  expect(resourcesOf("kustomization.yaml").join(" ")).not.toContain("namespace");
  expect(resourcesOf("namespace/kustomization.yaml")).toEqual(["00-namespace.yaml"]);
});

test("pins images by digests before jobs get their names", async () => {
  const registry: GivenSettings = {
    engine: "embedded",
    imageRegistry: "registry.example.net",
    database: "cloudnative-pg",
  };
  const tagged = await renderStack("prod", registry);
  const digests = new Map(tagged.images.map((image) => [image, `sha256:${"7".repeat(64)}`]));
  const pinned = await renderStack("prod", registry, digests);
  expect(pinned.images).toEqual(tagged.images.map((image) => `${image}@${digests.get(image)}`));
  const jobsOf = (rendered: RenderedStack): string[] =>
    objectsIn(rendered).flatMap(({ kind, metadata }) => (kind === "Job" ? [metadata.name] : []));
  const [before, after] = [jobsOf(tagged), jobsOf(pinned)];
  expect(after).toHaveLength(before.length);
  expect(after.filter((name) => name.startsWith("migrate") && before.includes(name))).toEqual([]);
});
