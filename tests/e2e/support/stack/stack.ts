import { inject } from "vitest";

/** Access data of a running stack: the content of `access.env`, with the CA's text. */
export interface StackAccess {
  /** Name of the stack; its containers are `routeql-<name>-<service>`. */
  readonly name: string;
  /** `https://host:port` of the API, without a trailing slash. */
  readonly url: string;
  /** `https://host:port` of the listener that also carries the console. */
  readonly consoleUrl: string;
  /** `http://host:port` of the listener that only redirects. */
  readonly httpUrl: string;
  /** PEM. */
  readonly caCertificate: string;
  /** Path of the same PEM, for programs that read files. */
  readonly caFile: string;
  readonly serviceApiKey: string;
  readonly engineAccessKey: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
  /** Lifetime of a token in seconds, as configured. */
  readonly tokenLifeSeconds: number;
}

declare module "vitest" {
  interface ProvidedContext {
    stack: StackAccess;
  }
}

/** The stack under test, started once by global-setup.ts. */
export const stack: StackAccess = inject("stack");
