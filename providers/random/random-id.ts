import { randomBytes as draw } from "node:crypto";
import { z } from "zod";
import type { ResourceKind } from "../shared/resource-kind.ts";

const inputs = z.strictObject({
  byteLength: z.int().min(1),
  prefix: z.string().optional(),
  keepers: z.record(z.string(), z.string()).optional(),
});

/** RandomId of the random provider. It is not secret; all outputs except the id have the prefix. */
export const randomId: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  async create({ byteLength, prefix = "" }) {
    const bytes = draw(byteLength);
    const b64Url = bytes.toString("base64url");
    return {
      id: b64Url,
      outputs: {
        b64Url: prefix + b64Url,
        b64Std: prefix + bytes.toString("base64"),
        hex: prefix + bytes.toString("hex"),
        dec: prefix + BigInt(`0x${bytes.toString("hex")}`).toString(),
      },
    };
  },
};
