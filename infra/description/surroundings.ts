import type { Input } from "@pulumi/pulumi";
import type { ServiceName } from "./service.ts";

/** Facts that descriptions need besides the settings: names on the target, contents of files that settings name. Each description picks its own. */
export interface Surroundings {
  /** Name of the stack in series, jobs, alerts and dashboards. */
  readonly stack: string;
  /** Full DNS name of a service: nginx does not use search domains. */
  readonly hostOf: (service: ServiceName) => Input<string>;
  /** Certificate of the gateway with its chain, PEM. */
  readonly certificate: Input<string>;
  /** PEM of the authority of an object storage's certificate; without it the image's list. */
  readonly storageAuthority?: Input<string> | undefined;
  /** Content of the file that `ldapCaFile` names, PEM. */
  readonly directoryAuthority?: Input<string> | undefined;
  /** Content of the file that `databaseCaFile` names, PEM. */
  readonly databaseAuthority?: Input<string> | undefined;
  /** Content of the file that `sessionsCaFile` names, PEM. */
  readonly sessionsAuthority?: Input<string> | undefined;
  /** Content of the file that `authoritiesFile` names, PEM. */
  readonly ownAuthorities?: Input<string> | undefined;
  /** Whether an address for alerts is configured. */
  readonly alertWebhook?: boolean;
  /** Whether an address for the alert that always fires is configured. */
  readonly alertWatchdog?: boolean;
}
