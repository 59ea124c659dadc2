/**
 * Where the parts with data run: part of the list in list.ts. What each place needs is in docs/kubernetes.md.
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
/** Never quotes the value, which holds a password. */
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
      "Where the database runs: one of the stack's own (`single`), one outside (`external`), or, on Kubernetes, a cluster of several that the operator CloudNativePG looks after (`cloudnative-pg`). Data do not move with a change.",
    ...oneOf("single", "external", "cloudnative-pg"),
  }),
  databaseUrl: givenSecret({
    environment: "DATABASE_URL",
    meaning:
      "The external database, with an administrator who may make roles and databases; no superuser is needed. Only the job that migrates uses it: it makes the roles that the parts log in with, and the database if it is missing.",
    check: databaseUrl,
    allowed: databaseUrlForm,
  }),
  databaseCaFile: file({
    environment: "DATABASE_CA_FILE",
    meaning:
      "Authority (PEM) of the external database's certificate. With it every connection to the database is encrypted and checks the server's name.",
  }),
  sessions: text({
    environment: "SESSIONS",
    default: "single",
    meaning: "Where the session store runs: one of the stack's own (`single`), or one outside (`external`).",
    ...oneOf("single", "external"),
  }),
  sessionsUrl: givenSecret({
    environment: "SESSIONS_URL",
    meaning: "The external session store, Redis or Valkey; rediss:// encrypts and checks the server's name.",
    check: sessionsUrl,
    allowed: sessionsUrlForm,
  }),
  sessionsCaFile: file({
    environment: "SESSIONS_CA_FILE",
    meaning: "Authority (PEM) of the external session store's certificate, where it is not a public one; with it every connection is encrypted.",
  }),
} as const;
