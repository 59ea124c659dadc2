import type { Engine, PreparedMetadata } from "../engine.ts";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import type { StoredMetadata } from "./store.ts";

/** A changed copy of metadata that is not served yet. */
export class MetadataDraft {
  /** The stored metadata. */
  readonly original: StoredMetadata["metadata"];
  readonly resourceVersion: number;
  metadata: StoredMetadata["metadata"];
  /** Whether to serve equal metadata again, because the databases may have changed. */
  isReload = false;
  readonly #engine: Pick<Engine, "prepare">;
  readonly #before: readonly Inconsistency[] | undefined;
  #prepared: { readonly metadata: StoredMetadata["metadata"]; readonly prepared: PreparedMetadata } | undefined;

  /** @param before known inconsistencies of the stored metadata; undefined when it is not served and so not known */
  constructor(engine: Pick<Engine, "prepare">, stored: StoredMetadata, before: readonly Inconsistency[] | undefined) {
    this.#engine = engine;
    this.original = stored.metadata;
    this.resourceVersion = stored.resourceVersion;
    this.metadata = stored.metadata;
    this.#before = before;
  }

  get isChanged(): boolean {
    return this.isReload || this.metadata !== this.original;
  }

  /** Checks the metadata against the databases. @throws MetadataError, EngineError when a database does not answer */
  async check(allowInconsistent = true): Promise<PreparedMetadata> {
    const { metadata } = this;
    if (
      this.#prepared?.metadata === metadata &&
      (allowInconsistent || this.#prepared.prepared.inconsistencies.length === 0)
    )
      return this.#prepared.prepared;
    await this.discard();
    const prepared = await this.#engine.prepare(metadata, { allowInconsistent });
    this.#prepared = { metadata, prepared };
    return prepared;
  }

  /** Mismatches with the databases; the known ones while nothing was changed. @throws as check does */
  async inconsistencies(): Promise<readonly Inconsistency[]> {
    return this.isChanged || this.#before === undefined ? (await this.check()).inconsistencies : this.#before;
  }

  async discard(): Promise<void> {
    const prepared = this.#prepared?.prepared;
    this.#prepared = undefined;
    await prepared?.discard();
  }
}
