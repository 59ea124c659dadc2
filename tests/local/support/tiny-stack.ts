import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import { beforeAll } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import type { Failure } from "@routeql/host/failure";
import { stackPaths } from "@routeql/host/paths";
import { acquireCli } from "@routeql/cli/pulumi/acquire";
import { updateStack } from "@routeql/cli/stack/bring-up";
import { updateOnDocker } from "@routeql/cli/stack/places/docker";
import { removeLeftovers } from "@routeql/cli/pulumi/recovery";
import { openStack } from "@routeql/cli/stack/workspace";
import { newStackName } from "../../harness/run/stack-name.ts";

/** Numbers of resources by Pulumi's operation. */
export type Changes = Readonly<Record<string, number>>;

export interface TinyStack extends AsyncDisposable {
  /** Unique; also the value of the label com.routeql.stack. */
  readonly name: string;
  readonly stack: Stack;
  /** Updates like `npm run up`; the program may have changed. */
  up(
    program: PulumiFn,
    signal?: AbortSignal,
  ): Promise<{ changes: Changes; outputs: Readonly<Record<string, unknown>> }>;
  /** The text of the state on disk. */
  stateText(): Promise<string>;
}

const silent = (): void => undefined;

const acquire = (): ReturnType<typeof acquireCli> =>
  acquireCli({ say: silent, show: silent, onLine: silent, signal: new AbortController().signal });

// On a machine without a CLI it may have to be built first.
beforeAll(acquire, 900_000);

/** A separate stack under the real Pulumi with the stand-in providers; removed with all its objects at the end of the test. */
export async function tinyStack(): Promise<TinyStack> {
  const name = newStackName("tiny");
  const paths = stackPaths(name);
  const cli = await acquire();
  let program: PulumiFn = async () => ({});
  const stack = await openStack({
    stack: name,
    cli,
    plugins: "stand-in",
    configuration: {},
    program: () => program(),
    onLine: silent,
  });
  return {
    name,
    stack,
    async up(next, signal = new AbortController().signal) {
      program = next;
      const { changes, outputs } = await updateStack(
        stack,
        paths,
        { say: silent, show: silent, signal },
        updateOnDocker(stack.name),
      );
      return {
        changes,
        outputs: Object.fromEntries(Object.entries(outputs).map(([key, { value }]) => [key, value as unknown])),
      };
    },
    stateText: () => readFile(join(paths.state, `.pulumi/stacks/routeql/${name}.json`), "utf8"),
    async [Symbol.asyncDispose]() {
      await removeLeftovers(name, {});
      const { Volumes: volumes } = await dockerClient().listVolumes({
        filters: { label: [`com.routeql.stack=${name}`] },
      });
      for (const volume of volumes) await dockerClient().getVolume(volume.Name).remove({ force: true });
      await rm(paths.folder, { recursive: true, force: true });
    },
  };
}

/** Whether a failed update says all of these, in its message or in a line below it. For `rejects.toSatisfy`. */
export const explaining =
  (...reasons: readonly RegExp[]) =>
  (error: unknown): boolean => {
    const { message, lastLines = [] } = error as Error & Partial<Pick<Failure, "lastLines">>;
    return reasons.every((reason) => [message, ...lastLines].some((text) => reason.test(text)));
  };
