import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMap, isScalar, parseDocument, Scalar } from "yaml";
import { Failure } from "@routeql/host/failure";
import { projectFolder, projectName, stackPaths } from "@routeql/host/paths";
import { type GenerationName, recordedGenerations } from "@routeql/infra/settings/rotation";
import { notUp, stackArgument } from "../foundation/command.ts";
import { readConfiguration, type StackConfiguration } from "./configuration.ts";
import { storedOutputs } from "../pulumi/recovery.ts";

interface Kind {
  readonly generation: GenerationName;
  /** Setting with the time until which clients may use the former secret. */
  readonly until?: "previousServiceApiKeyUntil" | "previousEngineAccessKeyUntil";
  /** Why the deployment cannot rotate this secret, with the owner's way. */
  readonly refusal?: (configuration: StackConfiguration) => string | undefined;
}

const givenKey =
  (name: "serviceApiKey" | "engineAccessKey", variable: string): Kind["refusal"] =>
  ({ given }) =>
    given[name] === undefined
      ? undefined
      : `you set ${variable} yourself: set another one, the former one as PREVIOUS_${variable} and the end of its use as PREVIOUS_${variable}_UNTIL`;

/** Secrets that one update rotates. */
export const kinds: Readonly<Record<string, Kind>> = {
  "database-passwords": { generation: "databasePasswordsGeneration" },
  "sessions-password": {
    generation: "sessionsPasswordGeneration",
    refusal: ({ plain }) =>
      plain.sessions === "external" ? "the session store is external: change it there, then SESSIONS_URL" : undefined,
  },
  "service-api-key": {
    generation: "serviceApiKeyGeneration",
    until: "previousServiceApiKeyUntil",
    refusal: givenKey("serviceApiKey", "SERVICE_API_KEY"),
  },
  "engine-access-key": {
    generation: "engineAccessKeyGeneration",
    until: "previousEngineAccessKeyUntil",
    refusal: givenKey("engineAccessKey", "ENGINE_ACCESS_KEY"),
  },
  "key-encryption-key": { generation: "keyEncryptionKeyGeneration" },
  tls: {
    generation: "tlsGeneration",
    refusal: ({ plain }) =>
      (plain.tlsCertificateFile ?? plain.certificateIssuer ?? plain.certificateSecret)
        ? "the certificate is your own: replace its files, or renew it where it is issued"
        : undefined,
  },
};

/** Sets values in a stack's configuration file and keeps its comments. */
export async function writeSettings(file: string, values: Readonly<Record<string, string | number>>): Promise<void> {
  const document = parseDocument(await readFile(file, "utf8").catch(() => ""));
  // A file whose settings are all in the environment file may have an empty section.
  const section = document.get("config", true);
  if (isScalar(section) && section.value === null) document.set("config", document.createNode({}));
  else if (section !== undefined && !isMap(section))
    throw new Failure(`${file}: config is an alias, which this command cannot write`, {
      remedy: `write the settings below config:, such as ${Object.keys(values)
        .map((key) => `${projectName}:${key}`)
        .join(", ")}.`,
    });
  for (const [key, value] of Object.entries(values)) {
    const scalar = new Scalar(value);
    // Pulumi would read a time without quotes as another text.
    if (typeof value === "string") scalar.type = "QUOTE_DOUBLE";
    document.setIn(["config", `${projectName}:${key}`], scalar);
  }
  const config = document.get("config");
  if (isMap(config)) config.flow = false;
  await writeFile(file, String(document));
}

/** Raises generations of secrets for the next update; resumes a failed rotation. @returns one line for each secret @throws Failure */
export async function raiseGenerations(
  stack: string,
  kind: string,
  overlapHours: number,
  now = Date.now(),
): Promise<readonly string[]> {
  const chosen = kind === "all" ? Object.keys(kinds) : [kind];
  if (!chosen.every((name) => Object.hasOwn(kinds, name)))
    throw new Failure(`unknown secret ${JSON.stringify(kind)}`, {
      remedy: `name one of ${Object.keys(kinds).join(", ")}, all.`,
    });
  const outputs = await storedOutputs(stackPaths(stack), stack);
  if (outputs["services"] === undefined) throw notUp(stack);
  const recorded = recordedGenerations(outputs["generations"]);
  const configuration = await readConfiguration(stack);
  const until = new Date(now + overlapHours * 3_600_000).toISOString();
  const changes: Record<string, string | number> = {};
  const lines: string[] = [];
  for (const name of chosen) {
    const { generation, until: untilName, refusal } = kinds[name]!;
    const problem = refusal?.(configuration);
    if (problem !== undefined && kind !== "all")
      throw new Failure(`${name} cannot be rotated`, {
        remedy: `${problem}, then run \`npm run up${stackArgument(stack)}\`.`,
      });
    if (problem !== undefined) {
      lines.push(`${name}: unchanged, because ${problem}`);
      continue;
    }
    const current = configuration.plain[generation];
    if ((recorded[generation] ?? current) !== current) {
      lines.push(`${name}: the interrupted rotation to generation ${current} continues`);
      continue;
    }
    changes[generation] = current + 1;
    if (untilName !== undefined) changes[untilName] = until;
    lines.push(
      `${name}: generation ${current + 1}${untilName === undefined ? "" : `; the former key is accepted until ${until}`}`,
    );
  }
  if (Object.keys(changes).length > 0) {
    const name = `Pulumi.${stack}.yaml`;
    await writeSettings(join(projectFolder, name), changes);
    lines.push(`Written to ${name}.`);
  }
  return lines;
}
