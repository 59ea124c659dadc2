import type { TestContext } from "vitest";
import { engineAbilities } from "@routeql/cli/docker/engine-abilities";

const { ignored } = await engineAbilities();

/** Limits that the Docker engine ignores; all of them on a rootless engine without control groups. */
export const ignoredLimits: ReadonlySet<(typeof ignored)[number]> = new Set(ignored);

/** Skips a test whose limit the Docker engine ignores. */
export function requireLimit(context: TestContext, limit: (typeof ignored)[number]): void {
  context.skip(ignoredLimits.has(limit), `the Docker engine ignores limits of ${limit}`);
}
