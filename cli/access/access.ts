import { createHash } from "node:crypto";
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import { notUp } from "../foundation/command.ts";
import { type StackPaths, stackPaths } from "@routeql/host/paths";
import type { StackValues } from "../pulumi/outputs.ts";

/** Addresses and credentials of a running stack; all but its name are the content of access.env. */
export interface StackAccess {
  readonly stack: string;
  readonly url: string;
  readonly consoleUrl: string | undefined;
  /** Path of a PEM file with the certificates that clients must trust. */
  readonly caFile: string;
  readonly serviceApiKey: string;
  readonly engineAccessKey: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
}

/** Quotes a value for POSIX shells: within single quotes only the quote itself is special. */
export function shellQuote(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

type Field = Exclude<keyof StackAccess, "stack">;

const variables: Readonly<Record<Field, string>> = {
  url: "ROUTEQL_URL",
  consoleUrl: "ROUTEQL_CONSOLE_URL",
  caFile: "ROUTEQL_CA_FILE",
  serviceApiKey: "SERVICE_API_KEY",
  engineAccessKey: "ENGINE_ACCESS_KEY",
  adminEmail: "ADMIN_EMAIL",
  adminPassword: "ADMIN_PASSWORD",
};
const fields = Object.entries(variables) as [Field, string][];

/** The text of access.env: assignments that a POSIX shell can source. */
export const accessText = (access: Pick<StackAccess, Field>): string =>
  fields
    .filter(([field]) => access[field] !== undefined)
    .map(([field, variable]) => `export ${variable}=${shellQuote(access[field]!)}\n`)
    .join("");

export function parseAccessText(text: string): ReadonlyMap<string, string> {
  const assignments = text.matchAll(/^export ([A-Z_]+)='((?:[^']|'\\'')*)'$/gm);
  return new Map([...assignments].map(([, name, quoted]) => [name!, quoted!.replaceAll(String.raw`'\''`, "'")]));
}

async function replaceFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, text, { mode: 0o600 });
  await chmod(unfinished, 0o600);
  await rename(unfinished, path);
}

/** Writes access.env and the certificate beside it, both mode 0600. */
export async function writeAccess(stack: string, paths: StackPaths, values: StackValues): Promise<StackAccess> {
  const { url, consoleUrl, serviceApiKey, engineAccessKey, adminEmail, adminPassword } = values;
  const access = {
    stack,
    url,
    consoleUrl,
    caFile: paths.certificateFile,
    serviceApiKey,
    engineAccessKey,
    adminEmail,
    adminPassword,
  };
  // Every client already trusts a certificate from the cluster's issuer.
  await replaceFile(paths.certificateFile, values.caCertificate || rootCertificates.join("\n"));
  await replaceFile(paths.accessFile, accessText(access));
  return access;
}

/** True once for each generated password: only one run shows it. */
export async function isNewPassword({ shownPassword }: StackPaths, password: string): Promise<boolean> {
  const hash = createHash("sha256").update(password).digest("hex");
  if ((await readFile(shownPassword, "utf8").catch(() => "")) === hash) return false;
  await replaceFile(shownPassword, hash);
  return true;
}

export async function removeAccess(paths: StackPaths): Promise<void> {
  await Promise.all([paths.accessFile, paths.certificateFile].map((path) => rm(path, { force: true })));
}

/** Addresses and credentials of a running stack. @throws Failure when it is not running */
export async function accessOf(stack: string): Promise<StackAccess> {
  const text = await readFile(stackPaths(stack).accessFile, "utf8").catch(() => undefined);
  if (text === undefined) throw notUp(stack);
  const values = parseAccessText(text);
  const known = fields.map(([field, variable]) => [field, values.get(variable) ?? ""] as const);
  return { stack, ...(Object.fromEntries(known) as Record<Field, string>) };
}

/** A warning if other users can read a private file. Some file systems store no modes (WSL2 below /mnt, exFAT, SMB). */
export async function modeWarnings(file: string): Promise<readonly string[]> {
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return [];
  return [
    `Other users can read ${file}: its file system stores no file modes. Move the checkout to one that does (on WSL2 below your home, not /mnt).`,
  ];
}
