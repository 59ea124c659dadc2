/**
 * Settings for the places of the database and the session store: a section of the list in list.ts. docs/operate/kubernetes.md describes
 * the requirements of each place.
 * @module
 */
import { oneOf } from "./checks.ts";
import { file, givenSecret, text } from "./setting.ts";
import type { Check } from "./setting.ts";

function attempt(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}

const databaseUrlForm = "postgres://<administrator>:<password>@<host>[:<port>]/<database>";
/** Never quotes the value, which contains a password. */
const databaseUrl: Check<"secret"> = (value) => {
  const url = attempt(value);
  const complete =
    url !== undefined &&
    /^postgres(ql)?:$/.test(url.protocol) &&
    url.username !== "" &&
    url.password !== "" &&
    url.hostname !== "" &&
    /^\/[a-z][a-z0-9_]{0,62}$/.test(url.pathname);
  return complete ? undefined : `must have the form ${databaseUrlForm}, the database's name in small letters`;
};

const sessionsUrlForm = "redis[s]://[<user>]:<password>@<host>[:<port>][/<number>]";
const sessionsUrl: Check<"secret"> = (value) => {
  const url = attempt(value);
  const complete = url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== "" && url.password !== "";
  return complete ? undefined : `must have the form ${sessionsUrlForm}`;
};

export const partSettings = {
  database: text({
    environment: "DATABASE",
    default: "single",
    meaning:
      "Database: the stack's own (`single`), an external one (`external`) or, on Kubernetes, a cluster of the operator CloudNativePG (`cloudnative-pg`). A change does not move the data.",
    ...oneOf("single", "external", "cloudnative-pg"),
  }),
  databaseUrl: givenSecret({
    environment: "DATABASE_URL",
    meaning:
      "URL of the external database, with an administrator who may create roles and databases. Only the migrate job uses it, to create the services' roles and the database.",
    check: databaseUrl,
    allowed: databaseUrlForm,
  }),
  databaseCaFile: file({
    environment: "DATABASE_CA_FILE",
    meaning:
      "Certificate authority (PEM) of the external database. With it every connection is encrypted and verifies the server's name.",
  }),
  sessions: text({
    environment: "SESSIONS",
    default: "single",
    meaning: "Session store: the stack's own (`single`) or an external one (`external`).",
    ...oneOf("single", "external"),
  }),
  sessionsUrl: givenSecret({
    environment: "SESSIONS_URL",
    meaning: "URL of the external session store, Redis or Valkey; rediss:// encrypts and verifies the server's name.",
    check: sessionsUrl,
    allowed: sessionsUrlForm,
  }),
  sessionsCaFile: file({
    environment: "SESSIONS_CA_FILE",
    meaning:
      "Certificate authority (PEM) of the external session store, if it is not public; with it every connection is encrypted.",
  }),
} as const;
