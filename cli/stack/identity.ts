import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { engineIdentity } from "../docker/engine-identity.ts";
import type { StackPaths } from "@routeql/host/paths";

const identity = z.object({
  /** Value of the label `com.routeql.state` of everything that the stack creates. */
  state: z.string().regex(/^[0-9a-f]{16}$/),
  /** The Docker engine of the stack. */
  engine: engineIdentity.optional(),
});

/** Distinguishes the state of a stack from other states of the same stack name. */
export type Identity = z.infer<typeof identity>;

/** Undefined for a stack of an earlier version, and for one that does not exist. */
export async function readIdentity({ identityFile }: StackPaths): Promise<Identity | undefined> {
  const text = await readFile(identityFile, "utf8").catch(() => undefined);
  return text === undefined ? undefined : identity.parse(JSON.parse(text));
}

/** An identity for a new state; {@link keepIdentity} stores it. */
export const newIdentity = (): Identity => ({ state: randomBytes(8).toString("hex") });

export async function keepIdentity({ identityFile }: StackPaths, { state, engine }: Identity): Promise<void> {
  await mkdir(dirname(identityFile), { recursive: true });
  const unfinished = `${identityFile}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify({ state, ...(engine === undefined ? {} : { engine }) })}\n`, {
    mode: 0o600,
  });
  await rename(unfinished, identityFile);
}
