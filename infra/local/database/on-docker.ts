import { Failure } from "../foundation/failure.ts";
import { placeOf } from "../kubernetes/place.ts";

/** @throws Failure for a stack on Kubernetes, where backups are the business of the cluster */
export async function refuseOnKubernetes(stack: string, command: string): Promise<void> {
  if ((await placeOf(stack)) === undefined) return;
  throw new Failure(`npm run ${command} is for stacks on Docker, and ${stack} runs on Kubernetes`, {
    remedy: "docs/kubernetes.md#backup-and-restore has what does it there.",
  });
}
