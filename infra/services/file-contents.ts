import { secret } from "@pulumi/pulumi";
import type { Input, Output } from "@pulumi/pulumi";
import type { ServiceDescription } from "../description/service.ts";
import type { SecretName, Secrets } from "../description/secrets.ts";

export interface FileContent {
  /** Secret contents are Pulumi secrets. */
  readonly content: Input<string>;
  readonly isSecret: boolean;
}

function valueOf(name: SecretName, secrets: Secrets, service: ServiceDescription): Output<string> {
  const value = secrets[name];
  if (value === undefined) throw new Error(`${service.name} needs the secret ${name}, which is not configured.`);
  return secret(value);
}

/** All files of a service below `filesDirectory`, by path; its secrets are under `secrets/`. */
export function fileContents(service: ServiceDescription, secrets: Secrets): ReadonlyMap<string, FileContent> {
  const held = (name: SecretName): FileContent => ({ content: valueOf(name, secrets, service), isSecret: true });
  const contents = new Map<string, FileContent>();
  for (const [path, content] of Object.entries(service.files)) {
    contents.set(
      path,
      typeof content === "object" && "secret" in content ? held(content.secret) : { content, isSecret: false },
    );
  }
  for (const name of Object.values(service.secrets)) contents.set(`secrets/${name}`, held(name));
  return contents;
}
