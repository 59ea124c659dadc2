import { randomBytes as draw, randomInt } from "node:crypto";
import { z } from "zod";
import { officialVersion } from "../shared/version.ts";
import { makeProvider, type ResourceKind } from "../shared/provider.ts";

const idInputs = z.strictObject({
  byteLength: z.int().min(1),
  prefix: z.string().optional(),
  keepers: z.record(z.string(), z.string()).optional(),
});

/** RandomId of the random provider. It is not secret; all outputs except the id have the prefix. */
export const randomId: ResourceKind<z.infer<typeof idInputs>> = {
  inputs: idInputs,
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

const passwordInputs = z.strictObject({
  length: z.int().min(1),
  keepers: z.record(z.string(), z.string()).optional(),
  lower: z.boolean().optional(),
  upper: z.boolean().optional(),
  numeric: z.boolean().optional(),
  special: z.boolean().optional(),
});
export type PasswordInputs = z.infer<typeof passwordInputs>;

/** A password of uniformly drawn characters. The classes and their characters are those of the real provider. */
export function makePassword({
  length,
  lower = true,
  upper = true,
  numeric = true,
  special = true,
}: PasswordInputs): string {
  const characters = [
    lower ? "abcdefghijklmnopqrstuvwxyz" : "",
    upper ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "",
    numeric ? "0123456789" : "",
    special ? "!@#$%&*()-_=+[]{}<>:?" : "",
  ].join("");
  if (characters === "") throw new Error("a password needs at least one class of characters");
  return Array.from({ length }, () => characters[randomInt(characters.length)]!).join("");
}

/** RandomPassword of the random provider, without bcryptHash. */
export const randomPassword: ResourceKind<PasswordInputs> = {
  inputs: passwordInputs,
  schemaVersion: 3,
  defaults: {
    lower: true,
    upper: true,
    numeric: true,
    number: true,
    special: true,
    minLower: 0,
    minUpper: 0,
    minNumeric: 0,
    minSpecial: 0,
  },
  secretOutputs: ["result"],
  create: async (wanted) => ({ id: "none", outputs: { result: makePassword(wanted) } }),
};

export const provider = makeProvider("random", officialVersion("random"), {
  "random:index/randomPassword:RandomPassword": randomPassword,
  "random:index/randomId:RandomId": randomId,
});
