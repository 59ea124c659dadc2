import type { Encryption } from "@routeql/contract/connection/connection";
import { all, output, secret, unsecret } from "@pulumi/pulumi";
import type { Input, Output } from "@pulumi/pulumi";
import {
  clusterDatabase,
  databaseUrl,
  deliveredAuthority,
  hasSecondLogins,
  placeOfUrl,
  singleDatabase,
} from "../services/database-place.ts";
import type { DatabasePlace } from "../services/database-place.ts";
import { derive } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { referenceIn } from "../targets/kubernetes/images.ts";
import type { ImageSources } from "../targets/kubernetes/images.ts";
import type { GivenSecrets } from "../settings/reading/argument-problems.ts";

export interface DatabaseAccess {
  /** Not secret: the address and the encryption of connections. */
  readonly place: Output<DatabasePlace>;
  /** Secret: URL with the superuser's login. Absent if the database is a service of the stack. */
  readonly bootstrapUrl?: (superuserPassword: Output<string>) => Output<string>;
}

export function databaseAccess(
  settings: Pick<
    Settings,
    "authoritiesFile" | "database" | "databaseCaFile" | "databaseInstances" | "databaseReadFromCopies"
  >,
  given: GivenSecrets,
): DatabaseAccess {
  if (settings.database === "cloudnative-pg") {
    const { databaseReadFromCopies: wanted, databaseInstances: instances } = settings;
    const place = output(
      derive({ wanted, instances }, (known) =>
        clusterDatabase({ readFromCopies: known.wanted && known.instances > 1 }),
      ),
    );
    return {
      place,
      bootstrapUrl: (superuserPassword) =>
        secret(
          all([place, superuserPassword]).apply(([at, password]) =>
            databaseUrl(at, at.host, { user: "postgres", password }),
          ),
        ),
    };
  }
  if (settings.database === "single" || given.databaseUrl === undefined) return { place: output(singleDatabase) };
  const common = settings.authoritiesFile === undefined ? undefined : "common";
  const delivered = settings.databaseCaFile === undefined ? common : "database";
  const parsed = secret(given.databaseUrl).apply((url) => placeOfUrl(url, delivered));
  return {
    place: unsecret(parsed.apply(({ place }) => place)),
    bootstrapUrl: () => secret(parsed).apply(({ place, login }) => databaseUrl(place, place.host, login)),
  };
}

/** Connection data for tools, without a login. */
export interface DatabaseReach extends Pick<Encryption, "sslmode" | "channelBinding"> {
  /** Host name on the caller's network. */
  readonly host: string;
  readonly port: number;
  readonly name: string;
  /** The authorities of the system verify the server. */
  readonly sslrootcert?: "system";
  /** Certificate authority of the server, PEM. */
  readonly authority?: string;
  readonly secondLogins: boolean;
  /** Reference of an image with the client programs (psql, pg_dump), as the target knows it. */
  readonly clientImage: string;
}

/** @param images the images of the deployment, and the registry from which a cluster pulls the built ones */
export function databaseReach(
  settings: Parameters<typeof hasSecondLogins>[0],
  { place }: Pick<DatabaseAccess, "place">,
  { built, pulled, registry }: Omit<ImageSources, "push">,
  authority: Input<string> | undefined,
): Output<DatabaseReach> {
  const own = built.find(({ name }) => name === "database");
  const clientImage = own
    ? referenceIn(registry, own.imageName)
    : pulled.find(({ name }) => name === "database")?.imageName;
  if (clientImage === undefined) throw new Error("There is no image of the database.");
  return all([place, authority, clientImage]).apply(([{ host, port, name, parameters }, pem, image]) => ({
    host,
    port,
    name,
    ...(parameters.sslmode === undefined ? {} : { sslmode: parameters.sslmode }),
    ...(parameters.channelBinding === undefined ? {} : { channelBinding: parameters.channelBinding }),
    ...(parameters.sslrootcert === "system" ? { sslrootcert: "system" as const } : {}),
    ...(pem === undefined || parameters.sslrootcert !== deliveredAuthority ? {} : { authority: pem }),
    secondLogins: hasSecondLogins(settings),
    clientImage: image,
  }));
}
