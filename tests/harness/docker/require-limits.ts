import type { TestContext } from "vitest";
import { engineAbilities } from "@routeql/cli/docker/engine/engine-facts";

const { ignored, rootless } = await engineAbilities();

/** The engine and its containers have only ids and attributes of an ordinary user. */
export const isRootless: boolean = rootless;

/** Limits that the Docker engine ignores; all of them on a rootless engine without control groups. */
export const ignoredLimits: ReadonlySet<(typeof ignored)[number]> = new Set(ignored);

/** Skips a test whose limit the Docker engine ignores. */
export function requireLimit(context: TestContext, limit: (typeof ignored)[number]): void {
  context.skip(ignoredLimits.has(limit), `the Docker engine ignores limits of ${limit}`);
}
