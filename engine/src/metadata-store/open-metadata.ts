import type { Engine, EngineOptions } from "../engine.ts";
import { MetadataError, type Inconsistency, type Problem } from "@routeql/metadata/read/problems";
import type { MetadataStore, StoredMetadata } from "./store.ts";

export interface OpenMetadataOptions {
  readonly store: MetadataStore | undefined;
  /** A metadata directory; with a store only what it begins with. */
  readonly directory: string | undefined;
  /** For metadata from the directory. What is stored is served as far as it fits: its inconsistencies were allowed by who stored it. */
  readonly allowInconsistent: boolean;
  /** Start with nothing served when what is stored cannot be served at all. */
  readonly startsWithoutMetadata: boolean;
  readonly create: (metadata: EngineOptions["metadata"], allowInconsistent: boolean) => Promise<Engine>;
}

export interface OpenedMetadata {
  readonly engine: Engine;
  readonly stored: StoredMetadata | undefined;
  /** Why nothing is served of what is stored. */
  readonly unserved: readonly Inconsistency[];
}

const emptyMetadata = { version: 3, sources: [] };

/**
 * An engine over the stored metadata; over those of the directory when there is no store, or when it is empty: then they are
 * stored too.
 * @throws MetadataError; what the store or `create` throws
 */
export async function openMetadata(options: OpenMetadataOptions): Promise<OpenedMetadata> {
  const { store, directory, create } = options;
  if (store === undefined) return { engine: await create(directory ?? emptyMetadata, options.allowInconsistent), stored: undefined, unserved: [] };
  await store.prepare();
  const stored = await store.read();
  if (stored !== undefined) return serveStored(stored, options);
  // Nothing is stored that could not be served.
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

async function serveStored(stored: StoredMetadata, { create, startsWithoutMetadata }: OpenMetadataOptions): Promise<OpenedMetadata> {
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
