import { z } from "zod";
import { SidecarError } from "../errors.ts";
import { longestPassword } from "../passwords/password-hash.ts";

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

/**
 * `username` is the account's e-mail address.
 * @throws {SidecarError} `invalid-field`
 */
export function singleStepCredentials(body: unknown): Credentials {
  return parsed(singleStepBody, body);
}

function parsed(schema: z.ZodType<Credentials>, body: unknown): Credentials {
  const result = schema.safeParse(body);
  if (!result.success) throw new SidecarError("invalid-field");
  return result.data;
}
