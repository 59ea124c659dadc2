import { expect, test } from "vitest";
import { makeCertificate } from "../harness/certificate.ts";
import { image } from "../harness/image.ts";
import { GatewayContainer, roomySettings } from "./support/gateway-container.ts";
import { query } from "./support/request.ts";

test.each([
  [1, 1],
  [1.5, 2],
])("with a quota of %d processors it runs %i workers, and starts without other services", async (cpu, workers) => {
  await using gateway = await new GatewayContainer(await image("gateway"), await makeCertificate()).withSettings(roomySettings).withResourcesQuota({ cpu }).start();
  const { output } = await gateway.exec(["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'"]);
  expect(output.match(/nginx: worker process$/gm)).toHaveLength(workers);
  expect((await query(gateway)).status).toBe(503);
});
