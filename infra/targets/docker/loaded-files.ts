import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Container } from "@pulumi/docker";
import { all, output, type Output, RunError, runtime } from "@pulumi/pulumi";
import { execute } from "@routeql/host/docker/execute";
import type { ServiceDescription } from "../../description/service.ts";
import type { DeliveredFiles } from "./files.ts";
import { engineOfProvider } from "./provider-engine.ts";

/** Milliseconds in which a service must load its files. */
const patience = 30_000;

/** The container, once a service that loads changed files while it runs passes its health check with the delivered ones. */
export function withFilesLoaded(
  container: Container,
  { name, health, liveFiles }: ServiceDescription,
  files: DeliveredFiles | undefined,
): Output<Container> {
  if (runtime.isDryRun() || liveFiles === undefined || health?.kind !== "command" || files === undefined)
    return output(container);
  return all([container.id, files.carrier.id]).apply(async ([id]) => {
    const running = engineOfProvider()?.getContainer(id);
    const deadline = Date.now() + patience;
    const ignored = new PassThrough().resume();
    const passes = async (): Promise<boolean> =>
      running === undefined || (await execute(running, health.command, { output: ignored, errors: ignored })) === 0;
    while (!(await passes())) {
      if (Date.now() > deadline)
        throw new RunError(`The ${name} still serves its former files, because it rejects the new ones: see its log.`);
      await sleep(500);
    }
    return container;
  });
}
