/** Why changes cannot be noticed: the setting, no connection that listens, objects whose changes fire nothing, changes too often, or not yet. */
export const polledKinds = ["switched-off", "not-listening", "not-noticeable", "too-often", "starting"] as const;
export type PolledKind = (typeof polledKinds)[number];

export interface PolledReason {
  readonly kind: PolledKind;
  readonly text: string;
}

export interface ChangeObserver {
  /** A table that the statement reads may have changed. */
  changed(): void;
  /** Changes are not noticed for a reason; undefined: they are from now on, and may have been missed before. */
  polled(reason: PolledReason | undefined): void;
}

export interface Observation {
  readonly reason: PolledReason | undefined;
  readonly tables: readonly string[];
  stop(): void;
}

export interface NoticeFigures {
  readonly listening: boolean;
  /** Since the start. */
  readonly received: number;
  /** Statements whose changes are noticed. */
  readonly noticed: number;
  readonly polled: Readonly<Partial<Record<PolledKind, number>>>;
  /** Names of the tables, views and functions whose changes cannot be noticed, of running statements. */
  readonly unnoticed: readonly string[];
}

/** Of an engine that polls by its setting. */
export const switchedOff: Observation = {
  reason: { kind: "switched-off", text: "the setting ENGINE_LIVE_QUERIES is poll" },
  tables: [],
  stop: () => undefined,
};

/** Of a statement with values relative to now. */
export const followsTime: Observation = {
  reason: { kind: "not-noticeable", text: "a value such as now or today changes the answer without a change of data" },
  tables: [],
  stop: () => undefined,
};
