/**
 * Every advisory lock of the kit. Code that takes several takes them in this order, which prevents deadlocks. The migration runner
 * uses 7241865325823964.
 */
export const advisoryLocks = {
  /** On the server, in the database postgres: one migrate job at a time, because roles belong to the server. */
  job: "7241865325823963",
  /** Pruning and merging partitions. */
  maintenance: "7241865325823968",
  /** A turn: publishing a load, a detection, one partition's exchange. */
  turn: "7241865325823966",
  /** Creating and dropping partitions; routing.ensure_partitions takes it too. */
  partitions: "7241865325823965",
} as const;
