/** Runs Pulumi code with mocks and records its resources, for the tests beside the components. */
import { createHash, randomBytes } from "node:crypto";
import { projectName } from "@routeql/host/paths";
import { type RecordedResource, recordResources, secretSignature } from "../rendering/record.ts";

export { secretSignature } from "../rendering/record.ts";
export type { RecordedResource } from "../rendering/record.ts";

export interface RunOptions {
  readonly stack?: string;
  /** Default: this project. */
  readonly project?: string;
  readonly preview?: boolean;
  /** Other outputs of some resources, by name. */
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Runs `program` in its own stack and returns all registered resources in order. The program reaches no Docker daemon.
 * @throws errors of the program
 */
export async function recordStack(
  program: () => unknown,
  { stack = "local", project = projectName, preview = false, outputs = {} }: RunOptions = {},
): Promise<RecordedResource[]> {
  const { DOCKER_HOST: before } = process.env;
  process.env["DOCKER_HOST"] = "ssh://no-engine.example.net";
  try {
    return await recordResources(program, {
      stack,
      project,
      preview,
      answers: (type, name, inputs) => ({ ...answers(type, name), ...generatedName(name, inputs), ...outputs[name] }),
    });
  } finally {
    if (before === undefined) delete process.env["DOCKER_HOST"];
    else process.env["DOCKER_HOST"] = before;
  }
}

export function find(resources: readonly RecordedResource[], type: string, name: string): RecordedResource {
  const found = resources.filter((resource) => resource.type === type && resource.name === name);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} resources are ${type} ${name}.`);
  return found[0];
}

/** Names of the resources whose inputs differ between two runs. */
export function changed(before: readonly RecordedResource[], after: readonly RecordedResource[]): string[] {
  const texts = (resources: readonly RecordedResource[]): Map<string, string> =>
    new Map(resources.map(({ type, name, inputs }) => [`${type.split(":").at(-1)} ${name}`, JSON.stringify(inputs)]));
  const old = texts(before);
  return [...texts(after)]
    .filter(([key, value]) => old.get(key) !== value)
    .map(([key]) => key)
    .toSorted();
}

/** Metadata with the name of a Kubernetes object whose inputs have none: like Pulumi's, another one for other content. */
function generatedName(name: string, inputs: RecordedResource["inputs"]): Readonly<Record<string, unknown>> {
  const metadata = inputs["metadata"];
  if (inputs["kind"] === undefined || typeof metadata !== "object" || metadata === null || "name" in metadata)
    return {};
  const version = createHash("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 8);
  return { metadata: { ...metadata, name: `${name}-${version}` } };
}

const pem = (label: string, name: string): string => `-----BEGIN ${label}-----\n${name}\n-----END ${label}-----\n`;

/** Minimal outputs of the official providers by resource type. */
function answers(type: string, name: string): Record<string, unknown> {
  switch (type) {
    case "random:index/randomPassword:RandomPassword":
      return { result: `${name}-${randomBytes(24).toString("hex")}` };
    case "tls:index/privateKey:PrivateKey":
      return { privateKeyPem: pem("PRIVATE KEY", name) };
    case "tls:index/selfSignedCert:SelfSignedCert":
    case "tls:index/locallySignedCert:LocallySignedCert":
      return { certPem: pem("CERTIFICATE", name) };
    case "tls:index/certRequest:CertRequest":
      return { certRequestPem: pem("CERTIFICATE REQUEST", name) };
    case "random:index/randomId:RandomId":
      return { hex: `${name}-hex` };
    case "docker:index/container:Container":
      return { exitCode: 0, containerLogs: "" };
    default:
      return {};
  }
}

type Wrapped = Readonly<Record<string, unknown>>;

const isWrapped = (value: unknown): value is Wrapped =>
  typeof value === "object" && value !== null && secretSignature in value;

/** Every secret inside a value of resource inputs, unwrapped, and the value without them. */
export function splitSecrets(value: unknown): { secrets: unknown[]; open: string } {
  const secrets: unknown[] = [];
  const open = JSON.stringify(value, (_key, inner: unknown) => {
    if (!isWrapped(inner)) return inner;
    secrets.push(inner["value"]);
    return "(secret)";
  });
  return { secrets, open };
}

/** A value of resource inputs with every secret in it unwrapped. */
export function unwrap(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (isWrapped(inner) ? inner["value"] : inner)));
}
