/**
 * Every advisory lock of the kit. Whoever takes several takes them in this order, so that none waits for another in a ring. The runner of the
 * migrations has 7241865325823964.
 */
export const advisoryLocks = {
  /** Of the server, in the database postgres: one migrate job at a time, because roles belong to the server. */
  job: "7241865325823963",
  /** Pruning, and putting partitions together. */
  maintenance: "7241865325823968",
  /** A turn: publishing a load, a detection, one partition's exchange. */
  turn: "7241865325823966",
  /** Making partitions and taking them away; routing.ensure_partitions takes it too. */
  partitions: "7241865325823965",
} as const;
