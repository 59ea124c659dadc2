import type { TestContext } from "vitest";
import { daemonAbilities } from "@routeql/cli/docker/daemon/daemon-facts";

const { ignored, rootless } = await daemonAbilities();

/** The daemon and its containers have only ids and attributes of an ordinary user. */
export const isRootless: boolean = rootless;

/** Limits that the Docker daemon ignores; all of them on a rootless daemon without control groups. */
export const ignoredLimits: ReadonlySet<(typeof ignored)[number]> = new Set(ignored);

/** Skips a test whose limit the Docker daemon ignores. */
export function requireLimit(context: TestContext, limit: (typeof ignored)[number]): void {
  context.skip(ignoredLimits.has(limit), `the Docker daemon ignores limits of ${limit}`);
}
