import { RunError } from "@pulumi/pulumi";
import { readClaim, stackObjects, stateLabel } from "@routeql/host/docker/stack-objects";
import { type DockerClient, engineOfProvider } from "./provider-engine.ts";

/**
 * Stops plain `pulumi up` for a stack whose objects on the Docker engine belong to another Pulumi state: Docker would give its data volumes
 * to the new stack, whose secrets do not open the data.
 * @param identity of this state; undefined for a new state
 * @throws RunError with the owner and the remedy
 */
export async function refuseForeignStack(
  stack: string,
  identity: string | undefined,
  docker: DockerClient | undefined = engineOfProvider(),
): Promise<void> {
  if (docker === undefined) return;
  const [claim, objects] = await Promise.all([readClaim(stack, docker), stackObjects(stack, docker)]);
  const foreign = objects.filter(({ labels: { [stateLabel]: state } }) => state !== undefined && state !== identity);
  if (foreign.length === 0 && (claim === undefined || claim.state === identity)) return;
  const owner =
    claim === undefined
      ? `another Pulumi state (${foreign[0]!.labels[stateLabel]})`
      : `the checkout ${claim.folder} (host ${claim.host}, user ${claim.user})`;
  const names = foreign.map(({ name }) => name).toSorted();
  const shown =
    names.length === 0
      ? ""
      : `: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
  // Pulumi prints this error without a stack trace.
  throw new RunError(
    `The stack ${stack} on this Docker engine belongs to ${owner}${shown}. Use another stack name, or use that state. ` +
      `If that state is lost, remove the stack and its data permanently: npm run down -- --volumes --adopt${stack === "local" ? "" : ` --stack ${stack}`}`,
  );
}
