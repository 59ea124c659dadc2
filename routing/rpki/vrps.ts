import { z } from "zod";
import { isAsNumber, parseAsNumber } from "@routeql/database-access/number-resources";
import { canonicalPrefix, lengthOf } from "../formats/prefix.ts";

/** A validated ROA payload (RFC 6811): the AS may announce the prefix and its more specific ones up to a length. */
export interface Vrp {
  readonly prefix: string;
  readonly maxLength: number;
  readonly asn: number;
}

export interface VrpList {
  /** When the validator made the list; undefined if it does not say so. */
  readonly builtAt: Date | undefined;
  readonly vrps: readonly Vrp[];
}

/** All problems of a list, at most ten. */
export class VrpListError extends Error {
  override readonly name = "VrpListError";
}

const roa = z.object({
  asn: z.union([z.number(), z.string()]).transform((value, context) => {
    const asn = typeof value === "string" ? parseAsNumber(value.replace(/^AS/i, "")) : value;
    if (isAsNumber(asn)) return asn;
    context.addIssue({ code: "custom", message: `${JSON.stringify(value)} is no AS number` });
    return z.NEVER;
  }),
  prefix: z.string().transform((text, context) => {
    const canonical = canonicalPrefix(text);
    if (canonical !== undefined && !canonical.hostBits) return canonical.prefix;
    const reason = canonical === undefined ? "is no IPv4 or IPv6 prefix" : "has bits set beyond its length";
    context.addIssue({ code: "custom", message: `${text} ${reason}` });
    return z.NEVER;
  }),
  maxLength: z.int().min(0).max(128).optional(),
});

/** `json` and `jsonext` of Routinator, and `json` of rpki-client. Other members are ignored. */
const list = z.object({
  metadata: z
    .object({
      generated: z.int().min(0).max(4_294_967_295).optional(),
      generatedTime: z.iso.datetime().optional(),
      buildtime: z.iso.datetime().optional(),
    })
    .optional(),
  roas: z.array(z.unknown()).min(1, "the list is empty"),
});

const shownProblems = 10;

/** Reads the JSON of a validator. @param name of the file or address, for messages @throws VrpListError */
export function parseVrps(text: string, name: string): VrpList {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new VrpListError(`${name} is no JSON: ${(error as Error).message}`);
  }
  const { data, error } = list.safeParse(value);
  if (error !== undefined)
    throw new VrpListError(
      `${name}: ${error.issues.map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`).join("; ")}. Use the output format json of Routinator or rpki-client.`,
    );
  const problems: string[] = [];
  const vrps: Vrp[] = [];
  for (const [index, entry] of data.roas.entries()) {
    const read = roa.safeParse(entry);
    if (read.success) {
      const { asn, prefix } = read.data;
      const [length, longest] = [lengthOf(prefix), prefix.includes(":") ? 128 : 32];
      const maxLength = read.data.maxLength ?? length;
      if (maxLength >= length && maxLength <= longest) vrps.push({ prefix, maxLength, asn });
      else problems.push(`roas.${index}: maxLength ${maxLength} is not between ${length} and ${longest}`);
    } else
      problems.push(...read.error.issues.map(({ path, message }) => `roas.${index}.${path.join(".")}: ${message}`));
    if (problems.length >= shownProblems) break;
  }
  if (problems.length > 0) throw new VrpListError(problems.map((problem) => `${name}: ${problem}`).join("\n"));
  return { builtAt: builtAt(data.metadata ?? {}), vrps };
}

function builtAt({
  generated,
  generatedTime,
  buildtime,
}: NonNullable<z.infer<typeof list>["metadata"]>): Date | undefined {
  if (generated !== undefined) return new Date(generated * 1000);
  const text = generatedTime ?? buildtime;
  return text === undefined ? undefined : new Date(text);
}
