import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { stackArgument } from "../foundation/command.ts";
import type { Problem, ServiceState } from "../status/report.ts";

/** Images of the stack that the daemon no longer has: a container that runs needs none, but its replacement does. */
export async function lostImageProblems(
  stack: string,
  services: readonly Pick<ServiceState, "service" | "image">[],
  has: (image: string) => Promise<boolean> = async (image) =>
    (await orUndefined(dockerClient().getImage(image).inspect())) !== undefined,
): Promise<Problem[]> {
  const images = [...new Set(services.map(({ image }) => image))];
  const lost = await Promise.all(images.map(async (image) => ((await has(image)) ? [] : [image])));
  return lost
    .flat()
    .map((image) => ({
      subject: "image",
      reason: `${image}, of ${services.flatMap((each) => (each.image === image ? [each.service] : [])).join(", ")}, is not on this machine`,
      next: `npm run up${stackArgument(stack)} builds or pulls it`,
    }));
}
