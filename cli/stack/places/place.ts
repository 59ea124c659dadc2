/** The steps of `up`, `preview` and `down` that differ by place: docker.ts and kubernetes.ts implement them, open.ts chooses. */
import type { PlainSettings } from "@routeql/infra/settings/list";
import type { StackConfiguration } from "../../configuration/configuration.ts";
import type { Phase, Ready } from "../../foundation/phases.ts";
import type { ClaimStore, Permit } from "../../ownership/ownership.ts";
import type { Deployment } from "../../pulumi/recovery.ts";
import type { Progress } from "../progress.ts";

export interface PreparationOptions {
  /** Takes over a stack of this name that belongs to another state. */
  readonly adopt?: boolean;
  /** List of `npm run render`, whose images the stack must have. Kubernetes only. */
  readonly images?: string | undefined;
  /** Copies images of this machine to the nodes, under the same names. Kubernetes only. */
  readonly deliverImages?: (images: readonly string[]) => Promise<void>;
}

/** The work before an update: phases in sequence, beside the Pulumi CLI, and their results. */
export interface Preparation {
  readonly lane: readonly Phase[];
  readonly permit: Ready<Permit>;
  readonly configuration: Ready<StackConfiguration>;
  /** The place, once the lane has ended. */
  readonly place: () => UpdatePlace;
  /** Lists missing requirements of the stack; for the preview. */
  readonly requirements: readonly (Phase & Ready<readonly string[]>)[];
  /** The replacement for images that the settings name. */
  readonly replacement: () => string | undefined;
  /** Stores the choice of images for the next update. */
  readonly keepChoice: () => Promise<void>;
}

export interface UpdatePlace {
  readonly claims: ClaimStore;
  /** Records the place in the stack's folder, before anything is created there. */
  remember(): Promise<void>;
  /** @throws Failure for data that only the secrets of another state open */
  refuseForeignData(before: Deployment): Promise<void>;
  /** Deletes what an interrupted run created and the state lacks. */
  removeInterrupted(deployment: Deployment, signal: AbortSignal): Promise<unknown>;
  /** Deletes what the state lacks and nothing uses after an update. */
  removeLost(deployment: Deployment, signal: AbortSignal): Promise<unknown>;
  /** Shows until the signal aborts why the update waits. */
  reportWaiting(progress: Progress, signal: AbortSignal): Promise<void>;
  /** The place of the metrics after an update: a file, or the address of a page. */
  metrics(settings: PlainSettings): Promise<string | undefined>;
  /** About this machine, after an update. */
  warnings(): Promise<readonly string[]>;
}

/** The removal of a stack. */
export interface RemovalPlace {
  /** Phases in sequence; the last one checks the owner. */
  readonly lane: readonly Phase[];
  /** Names of the stack's data, which stays unless it is deleted too. */
  data(signal: AbortSignal): Promise<readonly string[]>;
  /** A cause by which the kept data could get lost. */
  readonly warning?: string;
  /** Deletes what an interrupted run created and the state lacks. */
  removeInterrupted(deployment: Deployment): Promise<unknown>;
  /** Deletes what Pulumi left, and releases the stack's name once nothing is left. @param volumes also the data */
  removeRest(volumes: boolean, signal: AbortSignal): Promise<void>;
}
