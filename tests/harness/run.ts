/**
 * What belongs to one run of the suites: every container and network that the harness starts carries this label,
 * and the clean-up removes exactly those.
 * @module
 */
import { randomBytes } from "node:crypto";
import { engineAddress, engineEnvironment, standardOrigin } from "@routeql/host/docker/engine-address";

// Testcontainers' own reaper is a separate image, which an air-gapped machine cannot pull; clean-up.ts replaces it.
process.env["TESTCONTAINERS_RYUK_DISABLED"] = "true";

// The engine that the commands use, for Testcontainers and the docker command too: neither tries all that the other does. The standard
// socket stays unnamed, because an engine that is named and does not answer is neither installed nor started.
const engine = engineAddress();
if (engine.origin !== standardOrigin) Object.assign(process.env, engineEnvironment(engine));

/** The label's name; its value is the run's identifier. */
export const runLabel = "com.routeql.test-run";

/** Shared by all worker processes of one run through the environment. */
export const runId: string = (process.env["ROUTEQL_TEST_RUN"] ??= randomBytes(4).toString("hex"));

/** Labels of everything this run starts. */
export const runLabels: Readonly<Record<string, string>> = { [runLabel]: runId };
