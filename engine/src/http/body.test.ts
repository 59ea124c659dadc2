import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readBody } from "./body.ts";

test("rejects a body whose client left before it is read", async () => {
  const request = Object.assign(new PassThrough(), { headers: { "content-length": "10" }, complete: false });
  request.destroy();
  await once(request, "close");
  await expect(readBody(request as unknown as IncomingMessage, 100)).rejects.toThrow("the request body ended early");
});
