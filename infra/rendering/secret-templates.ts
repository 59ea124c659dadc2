import { createHash } from "node:crypto";
import { readConnection, urlProblem, writeConnection } from "@routeql/contract/connection/connection";
import { type GivenSettings, settingNames, settings } from "../settings/list.ts";
import { isObject } from "./manifest.ts";
import { type RecordedResource, secretSignature } from "./record.ts";

/** A Secret whose values are composed inside the cluster: `{{name}}` stands for a value. */
export interface SecretTemplate {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Passes the check for strong secrets and reveals nothing about the real secret. With another generation, Secrets get other names. */
export function placeholder(name: string, generation = 1): string {
  const suffix = generation === 1 ? "" : ` in generation ${generation}`;
  return createHash("sha256").update(`placeholder of ${name}${suffix}`).digest("hex");
}

/** A web address is replaced as a whole. */
const webAddress = (text: string): string => `https://example.invalid/${text}`;

/** Keeps the address of a URL and replaces its secrets. */
function withoutPassword(value: string, instead: string): string {
  if (urlProblem(value) === undefined) return writeConnection({ ...readConnection(value), password: instead });
  if (!URL.canParse(value)) return instead;
  const url = new URL(value);
  if (/^https?:$/.test(url.protocol)) return webAddress(instead);
  if (url.password === "") return instead;
  url.password = instead;
  return url.href;
}

/** The settings with a placeholder for each secret, so that derived values contain none. */
export function withoutSecrets(given: GivenSettings): GivenSettings {
  const changed = settingNames
    .filter((name) => settings[name].type === "secret" && given[name] !== undefined)
    .map((name) => [name, withoutPassword(String(given[name]), placeholder(name, given.givenSecretsGeneration))]);
  return { ...given, ...Object.fromEntries(changed) } as GivenSettings;
}

/** Certificates are public: the authorities of an object storage, which its plugin reads from a Secret. */
const isCertificates = (value: string): boolean =>
  value.startsWith("-----BEGIN CERTIFICATE-----") && !value.includes("PRIVATE KEY-----");

/** The template of a Secret: placeholders become `{{name}}`; of another value, which is the owner's, only the name is kept. */
export function secretTemplate(
  { inputs }: RecordedResource,
  names: Iterable<string>,
  generation?: number,
): SecretTemplate {
  const held = inputs["stringData"];
  const plain = isObject(held) && secretSignature in held ? held["value"] : held;
  const known = [...names].flatMap((name) =>
    [placeholder(name), placeholder(name, generation)].flatMap((text) => [
      [webAddress(text), `{{${name}}}`] as const,
      [text, `{{${name}}}`] as const,
    ]),
  );
  const templateOf = (key: string, wrapped: unknown): string => {
    const value = String(isObject(wrapped) && secretSignature in wrapped ? wrapped["value"] : wrapped);
    const template = known.reduce((text, [from, to]) => text.replaceAll(from, to), value);
    if (template !== value || key === "username" || isCertificates(value)) return template;
    return `{{${key.replace(/^secrets\.\./, "")}}}`;
  };
  const data = Object.fromEntries(
    Object.entries(isObject(plain) ? plain : {}).map(([key, value]) => [key, templateOf(key, value)]),
  );
  return { type: typeof inputs["type"] === "string" ? inputs["type"] : "Opaque", data };
}
