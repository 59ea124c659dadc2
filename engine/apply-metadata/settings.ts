import { readVariable, withoutEmpty } from "@routeql/contract/environment";
import { z } from "zod";

export interface ApplySettings {
  /** Metadata v3 directory. */
  readonly directory: string;
  /** Variables for the engine: the addresses of its metadata and its data. Secret. */
  readonly databases: Readonly<Record<"HASURA_GRAPHQL_METADATA_DATABASE_URL" | "ROUTEQL_DATABASE_URL", string>>;
  /** Connections of an engine to each Postgres source without a pool size in its metadata. */
  readonly poolSize: number;
  readonly startSeconds: number;
}

const places = z.object({
  METADATA_DIRECTORY: z.string().min(1).default("/run/routeql/metadata"),
  POOL_SIZE: z.coerce.number().int().min(1).max(1000).default(10),
  START_SECONDS: z.coerce.number().int().min(1).max(600).default(120),
});

/** Reads the settings; the two database addresses come from files. @throws one error with all problems, without secrets */
export function readSettings(environment: NodeJS.ProcessEnv): ApplySettings {
  const parsed = places.safeParse(environment);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const secret = (name: string): string => {
    const { value, problem = `${name}_FILE: is not set` } = readVariable(withoutEmpty(environment), name);
    if (value === undefined) problems.push(problem);
    return value ?? "";
  };
  const databases = {
    HASURA_GRAPHQL_METADATA_DATABASE_URL: secret("METADATA_DATABASE_URL"),
    ROUTEQL_DATABASE_URL: secret("ROUTEQL_DATABASE_URL"),
  };
  if (!parsed.success || problems.length > 0) throw new Error(`Invalid settings:\n  ${problems.join("\n  ")}`);
  const { METADATA_DIRECTORY, POOL_SIZE, START_SECONDS } = parsed.data;
  return { directory: METADATA_DIRECTORY, databases, poolSize: POOL_SIZE, startSeconds: START_SECONDS };
}
