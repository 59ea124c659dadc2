import { type Inconsistency, MetadataError } from "@routeql/metadata/read/problems";
import type { Engine, PreparedMetadata } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { MetadataStore, StoredMetadata, ToolState } from "./store.ts";

export interface MetadataKeeperOptions {
  readonly engine: Pick<Engine, "prepare" | "metadata" | "revision" | "inconsistencies">;
  /** Absent when the metadata comes from a directory. */
  readonly store?: MetadataStore | undefined;
  /** The metadata that the engine was created with, if there is a store. */
  readonly stored?: StoredMetadata | undefined;
  /** Problems of stored metadata that could not be served at all; listed until other metadata is served. */
  readonly unserved?: readonly Inconsistency[];
  /** Interval between two checks for a change by another replica, in milliseconds; 0 = never. */
  readonly pollInterval: number;
  readonly onEvent: (event: MetadataKeeperEvent) => void;
}

export type MetadataKeeperEvent =
  | { readonly type: "followed"; readonly resourceVersion: number; readonly inconsistencies: readonly Inconsistency[] }
  /** Stored metadata that cannot be served; the previous metadata still is. */
  | { readonly type: "refused"; readonly resourceVersion: number; readonly error: unknown }
  | { readonly type: "unreachable" | "reachable" };

/** Keeps an engine in sync with the stored metadata: changes it, and follows the changes of other replicas. */
export class MetadataKeeper {
  readonly #options: MetadataKeeperOptions;
  #stored: StoredMetadata | undefined;
  #unserved: readonly Inconsistency[];
  /** Changes run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #refusedVersion: number | undefined;
  /** Each rejected version is reported once. */
  #toldVersion: number | undefined;
  #reachable = true;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: MetadataKeeperOptions) {
    this.#options = options;
    this.#stored = options.stored;
    this.#unserved = options.unserved ?? [];
    this.#schedule();
  }

  get metadata(): unknown {
    return this.#stored?.metadata ?? this.#options.engine.metadata;
  }

  get resourceVersion(): number {
    return this.#stored?.resourceVersion ?? this.#options.engine.revision;
  }

  get inconsistencies(): readonly Inconsistency[] {
    return this.#unserved.length > 0 ? this.#unserved : this.#options.engine.inconsistencies;
  }

  /** The served metadata, for reading. */
  draft(): MetadataDraft {
    return this.#draftOf({
      metadata: this.metadata as StoredMetadata["metadata"],
      resourceVersion: this.resourceVersion,
    });
  }

  /** Runs work on a draft of the stored metadata, then stores and serves it. @throws EngineError `conflict` for another version; any error */
  change<Result>(work: (draft: MetadataDraft) => Promise<Result>, expectedVersion?: number): Promise<Result> {
    return this.#inTurn(() => this.#change(work, expectedVersion));
  }

  /** Reads metadata and the catalogues again, on all replicas. @throws MetadataError for metadata that cannot be served at all */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const { engine, store } = this.#options;
      if (store === undefined) {
        finish(await engine.prepare(undefined, { allowInconsistent: true }));
        return;
      }
      await this.#change((draft) => {
        draft.isReload = true;
        return Promise.resolve();
      });
    });
  }

  /** State of Hasura's CLI and console. @throws EngineError `not-supported` without a store */
  toolState(): Promise<ToolState> {
    const { store } = this.#options;
    if (store === undefined) throw notStored();
    return ask(store.toolState());
  }

  /** @throws EngineError as toolState does */
  setToolState(tool: "cli" | "console", state: unknown): Promise<void> {
    const { store } = this.#options;
    if (store === undefined) throw notStored();
    return ask(store.setToolState(tool, state));
  }

  async close(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#last;
    await this.#options.store?.close();
  }

  #draftOf(metadata: StoredMetadata): MetadataDraft {
    return new MetadataDraft(
      this.#options.engine,
      metadata,
      metadata.resourceVersion === this.resourceVersion ? this.inconsistencies : undefined,
    );
  }

  async #change<Result>(work: (draft: MetadataDraft) => Promise<Result>, expectedVersion?: number): Promise<Result> {
    const { store } = this.#options;
    if (store === undefined) throw notStored();
    const stored = await ask(store.read());
    if (stored === undefined) throw new EngineError({ code: "not-found", message: "no metadata is stored" });
    if (stored.resourceVersion !== this.resourceVersion) await this.#take(stored);
    const draft = this.#draftOf(stored);
    try {
      const result = await work(draft);
      if (draft.isChanged) await this.#keep(store, draft, expectedVersion ?? stored.resourceVersion);
      else await draft.discard();
      return result;
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }

  /** @throws MetadataError, EngineError */
  async #keep(store: MetadataStore, draft: MetadataDraft, expected: number): Promise<void> {
    const { metadata } = draft;
    const prepared = await draft.check();
    const resourceVersion = await ask(store.replace(metadata, expected));
    if (resourceVersion === undefined) throw conflict(expected);
    this.#serve({ metadata, resourceVersion });
    finish(prepared);
  }

  #serve(stored: StoredMetadata): void {
    this.#stored = stored;
    this.#unserved = [];
    this.#refusedVersion = undefined;
    this.#toldVersion = undefined;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #schedule(): void {
    const { pollInterval, store } = this.#options;
    if (store === undefined || pollInterval === 0) return;
    this.#timer = setTimeout(() => {
      void this.#inTurn(() => this.#follow(store)).finally(() => {
        if (!this.#stopped) this.#schedule();
      });
    }, pollInterval);
  }

  async #follow(store: MetadataStore): Promise<void> {
    if (this.#stopped) return;
    let stored: StoredMetadata | undefined;
    try {
      const version = await store.version();
      this.#setReachable(true);
      if (version === undefined || version === this.resourceVersion || version === this.#refusedVersion) return;
      stored = await store.read();
    } catch {
      this.#setReachable(false);
      return;
    }
    if (stored !== undefined) await this.#take(stored);
  }

  async #take(stored: StoredMetadata): Promise<void> {
    const { engine, onEvent } = this.#options;
    const { resourceVersion } = stored;
    try {
      const prepared = await engine.prepare(stored.metadata, { allowInconsistent: true });
      this.#serve(stored);
      finish(prepared);
      onEvent({ type: "followed", resourceVersion, inconsistencies: prepared.inconsistencies });
    } catch (error) {
      // Invalid metadata stays invalid; a database that does not answer is asked again.
      if (error instanceof MetadataError) this.#refusedVersion = resourceVersion;
      if (this.#toldVersion !== resourceVersion) onEvent({ type: "refused", resourceVersion, error });
      this.#toldVersion = resourceVersion;
    }
  }

  #setReachable(reachable: boolean): void {
    if (reachable === this.#reachable) return;
    this.#reachable = reachable;
    this.#options.onEvent({ type: reachable ? "reachable" : "unreachable" });
  }
}

/** Serves prepared metadata, without waiting for requests on the previous metadata. */
function finish(prepared: { commit(): Promise<void> }): void {
  prepared.commit().catch(() => undefined);
}

/** @throws EngineError for a store that does not answer */
async function ask<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw new EngineError({ code: "unexpected", status: 500, message: "the metadata store does not answer", cause });
  }
}

function conflict(expected: number): EngineError {
  const message = `metadata resource version referenced (${String(expected)}) did not match current version`;
  return new EngineError({ code: "conflict", message });
}

function notStored(): EngineError {
  const message = "the metadata comes from a directory; set HASURA_GRAPHQL_METADATA_DATABASE_URL to change it here";
  return new EngineError({ code: "not-supported", message });
}

/** A changed copy of metadata that is not served yet. */
export class MetadataDraft {
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
