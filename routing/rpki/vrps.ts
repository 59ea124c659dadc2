import { z } from "zod";
import { isAsNumber, parseAsNumber } from "@routeql/database-access/number-resources";
import { JsonElements } from "../formats/json-elements.ts";
import { canonicalPrefix, lengthOf } from "../formats/prefix.ts";
import type { ByteSource } from "../formats/records.ts";
import { BrokenInput, Refusal } from "../formats/refusal.ts";

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

/** `json` and `jsonext` of Routinator, and `json` of rpki-client, StayRTR, OctoRPKI and FORT. Other members are ignored. */
const description = z.object({
  metadata: z
    .object({
      generated: z.int().min(0).max(4_294_967_295).optional(),
      generatedTime: z.iso.datetime({ offset: true }).optional(),
      buildtime: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
});

/** Milliseconds by which the clock of a validator may be ahead. */
const mostAhead = 3_600_000;
const shownProblems = 10;
/** Three times as many as the internet has. */
const mostPayloads = 2_000_000;

/** Spaces and the byte order mark. */
const blank: ReadonlySet<number> = new Set(Buffer.from(" \t\r\n\uFEFF"));

const remedy = "Use the output format json of Routinator or rpki-client.";

/**
 * Reads the JSON of a validator, as a stream, or a list of payloads alone, such as BGPalerter's vrpFile.
 * @param name of the file or address, for messages @throws VrpListError
 */
export async function parseVrps(source: ByteSource, name: string): Promise<VrpList> {
  let elements = new JsonElements("roas");
  /** The first character of the JSON. */
  let first: string | undefined;
  let list = "roas.";
  const vrps: Vrp[] = [];
  const problems: string[] = [];
  const fail = (): VrpListError => new VrpListError(problems.map((problem) => `${name}: ${problem}`).join("\n"));
  let index = 0;
  try {
    for await (const chunk of source) {
      const byte = first === undefined ? chunk.find((each) => !blank.has(each)) : undefined;
      if (byte !== undefined) {
        first = String.fromCodePoint(byte);
        if (first !== "{" && first !== "[") throw new VrpListError(`${name} is no JSON. ${remedy}`);
        if (first === "[") [elements, list] = [new JsonElements(), ""];
      }
      for (const element of elements.write(chunk)) {
        const read = readVrp(element);
        if (Array.isArray(read)) problems.push(...read.map((problem) => `${list}${index}${problem}`));
        else vrps.push(read);
        index += 1;
        if (vrps.length > mostPayloads) problems.push(`roas: the list has more than ${mostPayloads} payloads`);
        // A chunk can have the whole list.
        if (problems.length >= shownProblems || vrps.length > mostPayloads) throw fail();
      }
    }
    const around = elements.end();
    const { data, error } = description.safeParse(first === "[" ? {} : around);
    const wrong = error?.issues.map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`) ?? [];
    if (!elements.seen) wrong.push("it has no list roas");
    else if (index === 0) wrong.push(first === "[" ? "the list is empty" : "roas: the list is empty");
    if (wrong.length > 0) throw new VrpListError(`${name}: ${wrong.join("; ")}. ${remedy}`);
    if (problems.length > 0) throw fail();
    const built = builtAt(data?.metadata ?? {});
    // Its age would stay negative, and no alert would notice that later lists are missing.
    if (built !== undefined && built.getTime() > Date.now() + mostAhead)
      throw new VrpListError(
        `${name}: the list is of ${built.toISOString()}, in the future. Correct the clock of the validator`,
      );
    return { builtAt: built, vrps };
  } catch (error) {
    if (error instanceof BrokenInput) throw new VrpListError(`${name} is no JSON: ${error.message}`);
    throw error;
  }
}

/** @returns the payload, or its problems with their places */
function readVrp(element: string | Refusal): Vrp | string[] {
  if (element instanceof Refusal) return [`: ${element.reason}`];
  let value: unknown;
  try {
    value = JSON.parse(element);
  } catch (error) {
    throw new BrokenInput((error as Error).message);
  }
  const { data, error } = roa.safeParse(value);
  if (data === undefined) return error.issues.map(({ path, message }) => `.${path.join(".")}: ${message}`);
  const { asn, prefix } = data;
  const [length, longest] = [lengthOf(prefix), prefix.includes(":") ? 128 : 32];
  const maxLength = data.maxLength ?? length;
  return maxLength >= length && maxLength <= longest
    ? { prefix, maxLength, asn }
    : [`: maxLength ${maxLength} is not between ${length} and ${longest}`];
}

function builtAt({
  generated,
  generatedTime,
  buildtime,
}: NonNullable<z.infer<typeof description>["metadata"]>): Date | undefined {
  if (generated !== undefined) return new Date(generated * 1000);
  const text = generatedTime ?? buildtime;
  return text === undefined ? undefined : new Date(text);
}
