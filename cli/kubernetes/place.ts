import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Failure } from "@routeql/host/failure";
import { type StackPaths, stackPaths } from "@routeql/host/paths";

const place = z.object({ server: z.string(), namespace: z.string(), instance: z.string() });

/** Where a stack runs on Kubernetes: the address of the API server, the namespace, and the value of its objects' instance label. */
export type Place = z.infer<typeof place>;

const fileOf = ({ folder }: StackPaths): string => join(folder, "cluster.json");

/** The place of a running stack; undefined when it does not run on Kubernetes. */
export async function placeOf(stack: string): Promise<Place | undefined> {
  const text = await readFile(fileOf(stackPaths(stack)), "utf8").catch(() => undefined);
  return text === undefined ? undefined : place.parse(JSON.parse(text));
}

/** @throws Failure when the stack runs in another place: its objects there would be forgotten */
export function refuseOtherCluster(stack: string, before: Place | undefined, now: Pick<Place, "server">): void {
  if (before === undefined || before.server === now.server) return;
  throw new Failure(
    `The stack ${stack} runs on the cluster ${before.server}, but kubectl's current context is ${now.server}`,
    {
      remedy: `choose that cluster (KUBECONFIG, kubectl config use-context), or take the stack down there first, or use another name (--stack).`,
    },
  );
}

/** @throws Failure when a stack that runs on a cluster is about to be created on Docker: its objects there would be forgotten */
export async function refuseOnDocker(stack: string): Promise<void> {
  const place = await placeOf(stack);
  if (!place) return;
  throw new Failure(`The stack ${stack} runs on Kubernetes (${place.server}), but its settings now say docker`, {
    remedy: `set TARGET=kubernetes, or remove the stack there first: npm run down -- --volumes --stack ${stack}`,
  });
}

export const keepPlace = (paths: StackPaths, where: Place): Promise<void> =>
  writeFile(fileOf(paths), `${JSON.stringify(where)}\n`, { mode: 0o600 });

export const forgetPlace = (paths: StackPaths): Promise<void> => rm(fileOf(paths), { force: true });
