import type { Engine, EngineOptions } from "../engine.ts";
import { MetadataError, type Inconsistency, type Problem } from "@routeql/metadata/read/problems";
import type { MetadataStore, StoredMetadata } from "./store.ts";

export interface OpenMetadataOptions {
  readonly store: MetadataStore | undefined;
  /** A metadata directory; with a store, only the initial metadata. */
  readonly directory: string | undefined;
  /**
   * For metadata from the directory. Stored metadata is always served as far as it is consistent, because its inconsistencies were allowed
   * when it was stored.
   */
  readonly allowInconsistent: boolean;
  /** Start without served metadata when the stored metadata cannot be served at all. */
  readonly startsWithoutMetadata: boolean;
  readonly create: (metadata: EngineOptions["metadata"], allowInconsistent: boolean) => Promise<Engine>;
}

export interface OpenedMetadata {
  readonly engine: Engine;
  readonly stored: StoredMetadata | undefined;
  /** Why none of the stored metadata is served. */
  readonly unserved: readonly Inconsistency[];
}

const emptyMetadata = { version: 3, sources: [] };

/**
 * An engine over the stored metadata. Without a store, or with an empty one, it uses the directory's metadata; in the latter case it also
 * stores it.
 * @throws MetadataError; any error of the store or `create`
 */
export async function openMetadata(options: OpenMetadataOptions): Promise<OpenedMetadata> {
  const { store, directory, create } = options;
  if (store === undefined)
    return {
      engine: await create(directory ?? emptyMetadata, options.allowInconsistent),
      stored: undefined,
      unserved: [],
    };
  await store.prepare();
  const stored = await store.read();
  if (stored !== undefined) return serveStored(stored, options);
  // Metadata that cannot be served is not stored.
  const engine = await create(directory ?? emptyMetadata, options.allowInconsistent);
  try {
    await store.seed(engine.metadata);
  } finally {
    await engine.close();
  }
  const seeded = await store.read();
  if (seeded === undefined) throw new Error("the metadata could not be stored");
  return serveStored(seeded, options);
}

async function serveStored(
  stored: StoredMetadata,
  { create, startsWithoutMetadata }: OpenMetadataOptions,
): Promise<OpenedMetadata> {
  try {
    return { engine: await create(stored.metadata, true), stored, unserved: [] };
  } catch (error) {
    if (!(error instanceof MetadataError) || !startsWithoutMetadata) throw error;
    return { engine: await create(emptyMetadata, true), stored, unserved: error.problems.map(asInconsistency) };
  }
}

function asInconsistency(problem: Problem): Inconsistency {
  return { ...problem, type: "metadata", name: problem.path, definition: null };
}
