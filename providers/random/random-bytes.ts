import { randomBytes as draw } from "node:crypto";
import { z } from "zod";
import type { ResourceKind } from "../shared/resource-kind.ts";

const inputs = z.strictObject({ length: z.int().min(1), keepers: z.record(z.string(), z.string()).optional() });

/** RandomBytes of the random provider: both outputs are secret. */
export const randomBytes: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  secretOutputs: ["base64", "hex"],
  async create({ length }) {
    const bytes = draw(length);
    return { id: "none", outputs: { base64: bytes.toString("base64"), hex: bytes.toString("hex") } };
  },
};
