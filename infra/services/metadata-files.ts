import { readdirSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Input } from "@pulumi/pulumi";
import { readText } from "@routeql/contract/written-text";
import { placesFile } from "@routeql/metadata/read/load";
import { contentHash, contextFiles } from "@routeql/host/docker/build-context";
import { derive } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import {
  engineRights,
  metadataFolder,
  ownMigrationsIn,
  ownPlaces,
  withOwnMetadata,
} from "../settings/values/own-metadata.ts";
import { token } from "./auth-sidecar.ts";
import { filesDirectory } from "../description/service.ts";

/** The metadata in the containers that read it, and its path there: the directory of the kit, or one file with your own in it. */
export function metadataOf({ metadata }: Pick<Settings, "metadata">) {
  const directory = `${filesDirectory}/metadata`;
  const file = "metadata/metadata.json";
  return metadata === undefined
    ? { path: directory, files: readTree(metadataFolder, "metadata", [".yaml", ".yml", ".json", ".graphql"]) }
    : {
        path: `${filesDirectory}/${file}`,
        files: { [file]: withOwnMetadata(metadata), [placesFile(file)]: ownPlaces(metadata) },
      };
}

/** Files and variables of the migrate job with the operator's migrations and the rights that the operator's metadata needs. */
export function ownFilesOf({ metadata, migrations }: Pick<Settings, "metadata" | "migrations">) {
  const written = Object.entries(ownMigrationsIn(migrations)).map(([name, content]) => [`migrations/${name}`, content]);
  const rights = "own/engine-rights.json";
  return {
    files: {
      ...(Object.fromEntries(written) as Record<string, string>),
      ...(metadata === undefined ? {} : { [rights]: JSON.stringify(engineRights(metadata), undefined, 2) }),
    },
    environment: {
      ...(migrations === undefined ? {} : { OWN_MIGRATIONS: `${filesDirectory}/migrations` }),
      ...(metadata === undefined ? {} : { ENGINE_RIGHTS: `${filesDirectory}/${rights}` }),
    },
  };
}

const root = resolve(import.meta.dirname, "../..");

/** Version of the schema. After a change of the schema a service must read the same metadata again, so its environment includes this. */
export const schemaVersion = ({ migrations }: Pick<Settings, "migrations">): string =>
  contentHash({
    texts: ownMigrationsIn(migrations),
    files: contextFiles(root, ["database/migrations", "database/migrate/grants.sql"]),
  }).slice(0, 12);

/**
 * Token verification of the engine, in Hasura's form of HASURA_GRAPHQL_JWT_SECRET. Clocks of two nodes differ by some milliseconds.
 * Without leeway (RFC 7519, 4.1.4 and 4.1.5) the engine would reject tokens signed just before a new second starts on its own clock.
 */
export const tokenCheck = ({
  tokenClockToleranceSeconds,
}: Pick<Settings, "tokenClockToleranceSeconds">): Input<string> =>
  derive(tokenClockToleranceSeconds, (seconds) =>
    JSON.stringify({
      jwk_url: "http://auth-sidecar:8080/jwks",
      issuer: token.issuer,
      audience: token.audience,
      allowed_skew: seconds,
    }),
  );

/** Names of the session variables in permissions, except the role itself. */
export function sessionVariables(settings: Pick<Settings, "metadata">): readonly string[] {
  const names = Object.values(metadataOf(settings).files).flatMap(
    (content) => content.match(/\bx-hasura-[a-z0-9-]+/gi) ?? [],
  );
  return [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => name !== "x-hasura-role").toSorted();
}

/** Text files under a folder with one of these endings, by path, sorted. @throws if it is missing or has no such file. */
export function readTree(root: string, under: string, endings: readonly string[]): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (paths.length === 0)
    throw new Error(`There is no file ${endings.map((ending) => `*${ending}`).join(", ")} in ${root}.`);
  return Object.fromEntries(
    paths.map((path) => [`${under}/${relative(root, path).split(sep).join("/")}`, readText(path)]),
  );
}
