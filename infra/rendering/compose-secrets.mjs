// Creates the Secrets of a rendered stack inside the cluster, from templates such as `postgres://routeql_engine:{{engine-password}}@database:5432/routeql`.
// A value comes from the Secret `given-secrets`, otherwise from `generated-secrets`; a missing one that can be generated is generated once.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";

const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const { labels, generated, secrets } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const namespace = readFileSync(`${account}/namespace`, "utf8");
const address = `https://${host.includes(":") ? `[${host}]` : host}:${port}/api/v1/namespaces/${namespace}/secrets`;

/** @returns the answer's object; undefined for 404 */
async function request(path, options = {}) {
  const headers = { authorization: `Bearer ${readFileSync(`${account}/token`, "utf8")}`, ...options.headers };
  const response = await fetch(`${address}/${path}`, { ...options, headers, signal: AbortSignal.timeout(10_000) });
  if (response.status === 404) return undefined;
  if (!response.ok)
    throw new Error(
      `The API server answered ${response.status} for the Secret ${path.split("?")[0]}. Check the Role of this job.`,
    );
  return response.json();
}

/** Creates or changes a Secret (Kubernetes' server-side apply). */
const apply = (name, type, data) =>
  request(`${name}?fieldManager=routeql&force=true`, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name, labels }, type, data }),
  });

const text = (encoded) => Buffer.from(encoded, "base64").toString();
const encode = (values) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
const read = async (name) =>
  Object.entries((await request(name))?.data ?? {}).map(([key, value]) => [key, text(value)]);

const kept = Object.fromEntries(await read("generated-secrets"));
const added = generated.filter((name) => !(name in kept));
for (const name of added) kept[name] = Array.from({ length: 43 }, () => alphabet[randomInt(alphabet.length)]).join("");
const values = { ...kept, ...Object.fromEntries(await read("given-secrets")) };

const templates = Object.values(secrets).flatMap(({ data }) => Object.values(data));
const names = templates.flatMap((template) => [...template.matchAll(/{{(.+?)}}/g)].map(([, name]) => name));
const missing = [...new Set(names)].filter((name) => !values[name]);
if (missing.length > 0)
  throw new Error(
    `The Secret given-secrets has no value for ${missing.join(", ")}. Add these keys; this job then retries.`,
  );
// Stored before it is used, so that an interrupted run keeps the values that it has spread.
if (added.length > 0) await apply("generated-secrets", "Opaque", encode(kept));

/** A value inside a URL is percent-encoded. */
const fill = (template) =>
  template.replaceAll(/{{(.+?)}}/g, (whole, name) =>
    /^\w+:\/\//.test(template) ? encodeURIComponent(values[name]) : values[name],
  );
for (const [name, { type, data }] of Object.entries(secrets))
  await apply(
    name,
    type,
    encode(Object.fromEntries(Object.entries(data).map(([key, template]) => [key, fill(template)]))),
  );
console.log(`${Object.keys(secrets).length} Secrets composed, ${added.length} values generated.`);
