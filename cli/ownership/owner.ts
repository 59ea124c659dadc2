import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { describeOwner, type KnownOwner, type Owner } from "@routeql/host/ownership";
import { Failure } from "@routeql/host/failure";
import { projectFolder, stackPaths, type StackPaths } from "@routeql/host/paths";
import { z } from "zod";
import { stackOption } from "../foundation/command.ts";

/** The file keeps the name `engine` of earlier versions for the Docker daemon. */
const identity = z
  .object({
    /** Value of the label `com.routeql.state` of everything that the stack creates. */
    state: z.string().regex(/^[0-9a-f]{16}$/),
    engine: z.object({ id: z.string(), name: z.string() }).optional(),
  })
  .transform(({ state, engine }) => ({ state, ...(engine === undefined ? {} : { daemon: engine }) }));

/** Distinguishes the state of a stack from other states of the same stack name. */
export type Identity = z.infer<typeof identity>;

export async function readIdentity({ identityFile }: StackPaths): Promise<Identity | undefined> {
  const text = await readFile(identityFile, "utf8").catch(() => undefined);
  return text === undefined ? undefined : identity.parse(JSON.parse(text));
}

/** An identity for a new state; {@link keepIdentity} stores it. */
export const newIdentity = (): Identity => ({ state: randomBytes(8).toString("hex") });

export async function keepIdentity({ identityFile }: StackPaths, { state, daemon }: Identity): Promise<void> {
  await mkdir(dirname(identityFile), { recursive: true });
  const unfinished = `${identityFile}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify({ state, ...(daemon === undefined ? {} : { engine: daemon }) })}\n`, {
    mode: 0o600,
  });
  await rename(unfinished, identityFile);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Some containers have a user id without an entry in the password database.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

export const thisCheckout = (state: string): Owner => ({
  state,
  folder: projectFolder,
  host: hostname(),
  user: userName(),
});

/** The owner by the state labels of the stack's objects; undefined when this state owns them, or when there are none. */
export function ownerByLabels(
  labels: readonly (string | undefined)[],
  identity: Identity | undefined,
): KnownOwner | undefined {
  if (labels.length === 0 || (identity !== undefined && labels.includes(identity.state))) return undefined;
  const state = labels.find((label) => label !== undefined);
  return state === undefined ? {} : { state };
}

const stateOf = z.object({ state: z.string() });

/** Whether the folder was copied, not moved: another one uses the state too. Only folders of this host can be checked. */
export async function isCopied(stack: string, owner: Owner): Promise<boolean> {
  if (owner.folder === projectFolder || owner.host !== hostname()) return false;
  const there = join(owner.folder, ".routeql", stack);
  const [one, other] = await Promise.all(
    [there, stackPaths(stack).folder].map((folder) => stat(folder).catch((error: NodeJS.ErrnoException) => error)),
  );
  if (one instanceof Error) return one.code === "EACCES";
  // One folder with two names: a mount or a link.
  if (!(other instanceof Error) && one?.dev === other?.dev && one?.ino === other?.ino) return false;
  const text = await readFile(join(there, "identity.json"), "utf8").catch(() => "{}");
  return stateOf.safeParse(JSON.parse(text)).data?.state === owner.state;
}

/** Whether the checkout of an owner no longer exists; only folders of this host can be checked. */
export async function isGone({ folder, host }: Owner): Promise<boolean> {
  if (host !== hostname()) return false;
  return stat(folder).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

/** The refusal to work on a stack of another state. @param where its place, e.g. `on this Docker daemon` */
export function belongsToAnother(
  stack: string,
  owner: KnownOwner,
  { where, dataNames = [] }: { readonly where: string; readonly dataNames?: readonly string[] },
): Failure {
  const data = dataNames.length === 0 ? "" : `, with its data (${dataNames.join(", ")})`;
  const more = stackOption(stack);
  if (owner.folder === projectFolder && owner.host === hostname())
    return new Failure(
      `The stack ${stack} ${where} is this checkout's${data}, but its state .routeql/${stack} is lost`,
      {
        remedy:
          "put the folder back if you have a copy. Otherwise save the data and the clients' keys, then create the stack again, " +
          "as docs/operate/troubleshoot.md#the-disk-died describes.",
      },
    );
  return new Failure(`The stack ${stack} ${where} belongs to ${describeOwner(owner)}${data}`, {
    remedy:
      `run the command in that checkout, or use another name here (--stack NAME). If that checkout is lost: \`npm run down -- --adopt${more}\` ` +
      `removes the containers, \`npm run down -- --volumes --adopt${more}\` also deletes the data permanently.`,
  });
}
