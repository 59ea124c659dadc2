import { readFileSync } from "node:fs";
import { z } from "zod";

/** The database's login roles that the job makes; the bootstrap superuser exists before it. */
export const roleNames = ["owner", "engine", "sidecar", "loader", "backup", "metadata"] as const;
export type RoleName = (typeof roleNames)[number];

export interface MigrateSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly bootstrapPassword: string;
  readonly passwords: Readonly<Record<RoleName, string>>;
  /** How long the job waits for the server to answer. */
  readonly waitSeconds: number;
}

const places = z.object({
  DATABASE_HOST: z.string().min(1),
  DATABASE_PORT: z.coerce.number().int().min(1).max(65_535).default(5432),
  DATABASE_NAME: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, "must be a plain lower-case name")
    .default("routeql"),
  DATABASE_WAIT_SECONDS: z.coerce.number().int().min(1).max(3600).default(60),
});

/**
 * Reads the job's settings; passwords come from files named by `<ROLE>_PASSWORD_FILE`, one trailing newline is not part of them.
 * @throws one error that names everything that is missing or wrong, and never a password.
 */
export function readSettings(environment: NodeJS.ProcessEnv): MigrateSettings {
  const parsed = places.safeParse(environment);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  const secret = (name: string): string => {
    const result = readPassword(environment, name);
    if ("problem" in result) problems.push(result.problem);
    return "password" in result ? result.password : "";
  };
  const bootstrapPassword = secret("BOOTSTRAP_PASSWORD_FILE");
  const passwords = {
    owner: secret("OWNER_PASSWORD_FILE"),
    engine: secret("ENGINE_PASSWORD_FILE"),
    sidecar: secret("SIDECAR_PASSWORD_FILE"),
    loader: secret("LOADER_PASSWORD_FILE"),
    backup: secret("BACKUP_PASSWORD_FILE"),
    metadata: secret("METADATA_PASSWORD_FILE"),
  };
  if (!parsed.success || problems.length > 0) throw new Error(`The settings are not usable:\n  ${problems.join("\n  ")}`);
  const { DATABASE_HOST, DATABASE_PORT, DATABASE_NAME, DATABASE_WAIT_SECONDS } = parsed.data;
  return {
    host: DATABASE_HOST,
    port: DATABASE_PORT,
    database: DATABASE_NAME,
    bootstrapPassword,
    passwords,
    waitSeconds: DATABASE_WAIT_SECONDS,
  };
}

function readPassword(environment: NodeJS.ProcessEnv, name: string): { password: string } | { problem: string } {
  const file = environment[name];
  if (file === undefined || file === "") return { problem: `${name}: is not set` };
  let password: string;
  try {
    password = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    return { problem: `${name}: ${(error as NodeJS.ErrnoException).code ?? "cannot be read"} ${file}` };
  }
  // SASLprep (RFC 4013) leaves exactly these as they are, so the verifier made here is the one that every client derives.
  if (!/^[\x20-\x7e]{16,1024}$/.test(password))
    return { problem: `${name}: the password must be 16 or more printable ASCII characters` };
  return { password };
}
