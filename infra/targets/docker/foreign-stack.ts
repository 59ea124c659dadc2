import { RunError } from "@pulumi/pulumi";
import { describeOwner, readClaim, stackObjects, stateLabel } from "@routeql/host/docker/stack-objects";
import { type DockerClient, engineOfProvider } from "./provider-engine.ts";

/** Stops plain `pulumi up` for another state's stack, whose data these secrets do not open. @param identity of a known state @throws RunError */
export async function refuseForeignStack(
  stack: string,
  identity: string | undefined,
  docker: DockerClient | undefined = engineOfProvider(),
): Promise<void> {
  if (docker === undefined) return;
  const [claim, objects] = await Promise.all([readClaim(stack, docker), stackObjects(stack, docker)]);
  const foreign = objects.filter(({ labels: { [stateLabel]: state } }) => state !== undefined && state !== identity);
  if (foreign.length === 0 && (claim === undefined || claim.state === identity)) return;
  const owner = describeOwner(claim ?? { state: foreign[0]!.labels[stateLabel]! });
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
