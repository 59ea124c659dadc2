import { expect, test } from "vitest";
import { makeCertificate } from "../harness/certificate.ts";
import { image } from "../harness/containers/image.ts";
import { requireLimit } from "../harness/docker/require-limits.ts";
import { GatewayContainer, roomySettings } from "./support/gateway-container.ts";
import { query } from "./support/request.ts";

test.for([
  [1, 1],
  [1.5, 2],
] as const)(
  "with a quota of %d processors it runs %i workers, and starts without other services",
  async ([cpu, workers], context) => {
    requireLimit(context, "processors");
    await using gateway = await new GatewayContainer(await image("gateway"), await makeCertificate())
      .withSettings(roomySettings)
      .withResourcesQuota({ cpu })
      .start();
    const { output } = await gateway.exec(["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'"]);
    expect(output.match(/nginx: worker process$/gm)).toHaveLength(workers);
    expect((await query(gateway)).status).toBe(503);
  },
);
