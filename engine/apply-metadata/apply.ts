import type { Metadata } from "./metadata-api.ts";
import { MetadataApi, Refusal } from "./metadata-api.ts";
import { differences } from "./same-metadata.ts";

/** How often others may store metadata in between. */
const attempts = 5;

/**
 * Makes the stored metadata say what `wanted` says, and makes sure by reading them back.
 * @returns what was done, in words
 * @throws {Refusal} with every problem, when they do not fit the databases: then what was stored before stays
 */
export async function apply(api: MetadataApi, wanted: Metadata): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { version, metadata } = await api.export();
    if (differences(metadata, wanted).length === 0) {
      // The databases may be what has changed.
      await api.reload();
      return "the stored metadata say the same already; the databases were looked at again";
    }
    try {
      await api.replace(wanted, version);
    } catch (error) {
      if (error instanceof Refusal && error.code === "conflict" && attempt < attempts) continue;
      throw error;
    }
    const stored = await api.export();
    const left = differences(stored.metadata, wanted);
    if (left.length === 0) return `stored as version ${stored.version}`;
    throw new Error(["The engine stored other metadata than it was given. They differ at:", ...left.map((path) => `  ${path}`)].join("\n"));
  }
}
