import { SidecarError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";

/** Counts a login by its outcome: `success`, the code of the error, or `internal`. */
export async function measuredLogin<Result>(
  metrics: Metrics,
  flow: string,
  login: () => Promise<Result>,
): Promise<Result> {
  let outcome = "internal";
  try {
    const result = await login();
    outcome = "success";
    return result;
  } catch (error) {
    if (error instanceof SidecarError) outcome = error.code;
    throw error;
  } finally {
    metrics.logins.inc({ flow, outcome });
  }
}
