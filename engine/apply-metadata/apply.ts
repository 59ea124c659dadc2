import { type Metadata, MetadataApi, Refusal } from "./metadata-api.ts";
import { differences } from "./same-metadata.ts";

/** Attempts while other clients store metadata in between. */
const attempts = 5;

/**
 * Stores the metadata `wanted`, and verifies it by reading it back.
 * @returns a description of the actions
 * @throws {Refusal} with every problem, when the metadata does not match the databases: the stored metadata is then unchanged
 */
export async function apply(api: MetadataApi, wanted: Metadata): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { version, metadata } = await api.export();
    if (differences(metadata, wanted).length === 0) {
      // The databases may have changed.
      await api.reload();
      return "the stored metadata is already equal; the databases were checked again";
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
    throw new Error(
      [
        "The engine stored metadata that differs from the given metadata. They differ at:",
        ...left.map((path) => `  ${path}`),
      ].join("\n"),
    );
  }
}
