import { output, secret, unsecret } from "@pulumi/pulumi";
import type { Output } from "@pulumi/pulumi";
import { clusterDatabase, databaseUrl, placeOfUrl, singleDatabase } from "../services/database-place.ts";
import type { DatabasePlace } from "../services/database-place.ts";
import type { PlainSettings } from "../settings/list.ts";
import { referenceIn } from "../targets/kubernetes/images.ts";
import type { ImageSources } from "../targets/kubernetes/images.ts";
import { checked } from "./checked.ts";
import type { GivenSecrets } from "./checked.ts";

export interface DatabaseAccess {
  /** Not secret: an address, and how connections to it are encrypted. */
  readonly place: Output<DatabasePlace>;
  /** Secret: with the superuser; only where the database is not a service of the stack. */
  readonly bootstrapUrl?: (superuserPassword: Output<string>) => Output<string>;
}

/** Where the database is, and how the job that migrates gets in. */
export function databaseAccess(settings: Pick<PlainSettings, "database" | "databaseCaFile" | "databaseInstances" | "databaseReadFromCopies">, given: GivenSecrets): DatabaseAccess {
  if (settings.database === "cloudnative-pg") {
    const place = clusterDatabase({ readFromCopies: settings.databaseReadFromCopies && settings.databaseInstances > 1 });
    return {
      place: output(place),
      bootstrapUrl: (password) =>
        secret(password).apply((value) => databaseUrl(place, place.host, { user: "postgres", password: value })),
    };
  }
  if (settings.database === "single" || given.databaseUrl === undefined) return { place: output(singleDatabase) };
  const parsed = checked("databaseUrl", given.databaseUrl).apply((url) => placeOfUrl(url, settings.databaseCaFile !== undefined));
  return {
    place: unsecret(parsed.apply(({ place }) => place)),
    bootstrapUrl: () => secret(parsed).apply(({ place, login }) => databaseUrl(place, place.host, login)),
  };
}

/** What a tool needs to know to reach the database, besides a login. */
export interface DatabaseReach {
  /** Its name on the caller's network. */
  readonly host: string;
  readonly port: number;
  readonly name: string;
  /** As in libpq's URLs; absent where the URL says nothing. */
  readonly sslmode?: string;
  /** PEM of the authority that its certificate is checked against. */
  readonly authority?: string;
  /** An image with the client's programs (psql, pg_dump), as the target knows it. */
  readonly clientImage: string;
}

/** @param images those of the deployment, one of which is the database's, and where the nodes of a cluster take those built here from */
export function databaseReach(
  { place }: Pick<DatabaseAccess, "place">,
  { built, pulled, registry }: Omit<ImageSources, "push">,
  authority: string | undefined,
): Output<DatabaseReach> {
  const own = built.find(({ name }) => name === "database");
  const clientImage = own ? referenceIn(registry, own.imageName) : pulled.find(({ name }) => name === "database")?.imageName;
  if (clientImage === undefined) throw new Error("There is no image of the database.");
  return place.apply(({ host, port, name, parameters: { sslmode } }) => ({
    host,
    port,
    name,
    ...(sslmode === undefined ? {} : { sslmode }),
    ...(authority === undefined ? {} : { authority }),
    clientImage,
  }));
}
