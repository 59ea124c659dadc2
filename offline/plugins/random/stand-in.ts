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

const bytesInputs = z.strictObject({ length: z.int().min(1), keepers: z.record(z.string(), z.string()).optional() });

/** RandomBytes of the random provider: both outputs are secret. */
export const randomBytes: ResourceKind<z.infer<typeof bytesInputs>> = {
  inputs: bytesInputs,
  secretOutputs: ["base64", "hex"],
  async create({ length }) {
    const bytes = draw(length);
    return { id: "none", outputs: { base64: bytes.toString("base64"), hex: bytes.toString("hex") } };
  },
};

const count = z.int().min(0).optional();
const passwordInputs = z.strictObject({
  length: z.int().min(1),
  keepers: z.record(z.string(), z.string()).optional(),
  lower: z.boolean().optional(),
  upper: z.boolean().optional(),
  numeric: z.boolean().optional(),
  special: z.boolean().optional(),
  overrideSpecial: z.string().optional(),
  minLower: count,
  minUpper: count,
  minNumeric: count,
  minSpecial: count,
});
export type PasswordInputs = z.infer<typeof passwordInputs>;

const pick = (characters: string): string => characters[randomInt(characters.length)]!;

/**
 * A password of uniformly drawn characters: first the minimum of each class, then any, then shuffled (Fisher–Yates). The classes and
 * their characters are those of the real provider.
 */
export function makePassword(wanted: PasswordInputs): string {
  const classes = [
    { on: wanted.lower ?? true, least: wanted.minLower ?? 0, characters: "abcdefghijklmnopqrstuvwxyz" },
    { on: wanted.upper ?? true, least: wanted.minUpper ?? 0, characters: "ABCDEFGHIJKLMNOPQRSTUVWXYZ" },
    { on: wanted.numeric ?? true, least: wanted.minNumeric ?? 0, characters: "0123456789" },
    {
      on: wanted.special ?? true,
      least: wanted.minSpecial ?? 0,
      characters: wanted.overrideSpecial || "!@#$%&*()-_=+[]{}<>:?",
    },
  ].filter(({ on, least }) => on || least > 0);
  const drawn = classes.flatMap(({ least, characters }) => Array.from({ length: least }, () => pick(characters)));
  const all = classes.map(({ characters }) => characters).join("");
  if (all === "") throw new Error("a password needs at least one class of characters");
  if (drawn.length > wanted.length)
    throw new Error(`a password of ${wanted.length} characters cannot hold the ${drawn.length} that are the minimum`);
  while (drawn.length < wanted.length) drawn.push(pick(all));
  for (let index = drawn.length - 1; index > 0; index--) {
    const other = randomInt(index + 1);
    [drawn[index], drawn[other]] = [drawn[other]!, drawn[index]!];
  }
  return drawn.join("");
}

/** RandomPassword of the random provider, without bcryptHash. */
export const randomPassword: ResourceKind<PasswordInputs> = {
  inputs: passwordInputs,
  secretOutputs: ["result"],
  create: async (wanted) => ({ id: "none", outputs: { result: makePassword(wanted) } }),
};

export const provider = makeProvider("random", officialVersion("random"), {
  "random:index/randomPassword:RandomPassword": randomPassword,
  "random:index/randomBytes:RandomBytes": randomBytes,
  "random:index/randomId:RandomId": randomId,
});
