/**
 * What belongs to one run of the suites: every container and network that the harness starts carries this label,
 * and the clean-up removes exactly those.
 * @module
 */
import { randomBytes } from "node:crypto";

// Testcontainers' own reaper is an image of its own, which an air-gapped machine cannot pull; clean-up.ts stands in for it.
process.env["TESTCONTAINERS_RYUK_DISABLED"] = "true";

/** The label's name; its value is the run's identifier. */
export const runLabel = "com.routeql.test-run";

/** Shared by all worker processes of one run through the environment. */
export const runId: string = (process.env["ROUTEQL_TEST_RUN"] ??= randomBytes(4).toString("hex"));

/** Labels of everything this run starts. */
export const runLabels: Readonly<Record<string, string>> = { [runLabel]: runId };
