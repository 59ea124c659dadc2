/** Identity of one run of the suites. Every container and network of the harness has this label, and the clean-up removes exactly those. */
import { randomBytes } from "node:crypto";
import { daemonAddress, daemonEnvironment, standardOrigin } from "@routeql/host/docker/daemon-address";

// Testcontainers' own reaper is a separate image, which an air-gapped machine cannot pull; clean-up.ts replaces it.
process.env["TESTCONTAINERS_RYUK_DISABLED"] = "true";

// Sets the commands' daemon for Testcontainers and the docker command, because each tries different addresses. The standard socket
// stays unset, because an explicitly set daemon is neither installed nor started when it does not answer.
const daemon = daemonAddress();
if (daemon.origin !== standardOrigin) Object.assign(process.env, daemonEnvironment(daemon));

/** The label's name; its value is the run's identifier. */
export const runLabel = "com.routeql.test-run";

/** All worker processes of one run share it through the environment. */
export const runId: string = (process.env["ROUTEQL_TEST_RUN"] ??= randomBytes(4).toString("hex"));

/** Labels of all objects of this run. */
export const runLabels: Readonly<Record<string, string>> = { [runLabel]: runId };
