import { z } from "zod";
import { SidecarError } from "../errors.ts";
import { longestPassword } from "../passwords/password-hash.ts";
import type { Provider, UserWithPassword } from "../users.ts";

/** Credentials sent by a client. The password is used exactly as sent (ASVS 6.2.8). */
export interface Credentials {
  readonly name: string;
  readonly password: string;
}

const name = z.string().max(320);
const password = z.string().refine((value) => Buffer.byteLength(value) <= longestPassword);

const sessionFlowBody = z
  .object({ email: name, password })
  .transform(({ email, password }) => ({ name: email, password }));
const singleStepBody = z
  .object({ username: name, password })
  .transform(({ username, password }) => ({ name: username, password }));

/** @throws {SidecarError} `invalid-field` */
export function sessionFlowCredentials(body: unknown): Credentials {
  return parsed(sessionFlowBody, body);
}

/** `username` is the account's e-mail address. @throws {SidecarError} `invalid-field` */
export function singleStepCredentials(body: unknown): Credentials {
  return parsed(singleStepBody, body);
}

function parsed(schema: z.ZodType<Credentials>, body: unknown): Credentials {
  const result = schema.safeParse(body);
  if (!result.success) throw new SidecarError("invalid-field");
  return result.data;
}

/** The result of verifying credentials. The login settles it before it asks for the account. */
export interface Verdict {
  readonly right: boolean;
  /** The account with the wrong password, if there is one. */
  readonly userId?: string | undefined;
  /** Earliest time for a rejection, when the source has a constant-time floor. */
  readonly rejectAfter?: Promise<void>;
  /** The current account; undefined when its password changed meanwhile, or when the credentials are wrong. */
  account(): Promise<UserWithPassword | undefined>;
}

/** A source of accounts: the local accounts, or a directory. */
export interface CredentialSource {
  readonly provider: Provider;
  /** The name under which failures are counted: one for all spellings, also of unknown accounts, so that no count reveals an account. */
  foldedName(name: string): string;
  /** Runs a whole login once this source has capacity. @param client addresses that share one part of it @throws {TooManyRequests} */
  admit<Result>(login: () => Promise<Result>, client: string): Promise<Result>;
  verify(credentials: Credentials, client: string): Promise<Verdict>;
}
