import { randomBytes } from "node:crypto";
import type { ApplicationRole } from "@routeql/contract/roles";
import { hash } from "@node-rs/argon2";
import type { Caller } from "./graphql.ts";
import { noteSecret } from "../../../harness/run/evidence.ts";
import { type Credentials, session, tokenOfSession } from "./sessions.ts";
import { database } from "../stack/database.ts";

export type Role = ApplicationRole;

export interface Account extends Credentials {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly organisation: string | null;
}

export interface AccountOptions {
  readonly organisation?: string;
  readonly disabled?: boolean;
}

/** A new account, created with SQL; only this process knows its password. */
export async function makeAccount(
  role: Role,
  { organisation, disabled = false }: AccountOptions = {},
): Promise<Account> {
  const mark = randomBytes(5).toString("hex");
  const account: Account = {
    id: `e2e-${role}-${mark}`,
    email: `${role}-${mark}@example.net`,
    name: `E2E ${role}`,
    password: randomBytes(18).toString("base64url"),
    role,
    organisation: organisation ?? null,
  };
  noteSecret(`password of ${account.id}`, account.password);
  const owner = await database("owner");
  if (organisation !== undefined) {
    await owner.query("insert into auth.organisations (id, name) values ($1, $1) on conflict (id) do nothing", [
      organisation,
    ]);
  }
  await owner.query(
    "insert into auth.users (id, email, name, password_hash, role, organisation_id, disabled) values ($1, $2, $3, $4, $5, $6, $7)",
    [
      account.id,
      account.email,
      account.name,
      await hash(account.password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
      role,
      account.organisation,
      disabled,
    ],
  );
  return account;
}

/** An account that requests a new token shortly before the last one expires. */
export class Member {
  readonly account: Account;
  private sessionId: string | undefined;
  private token: { readonly text: string; readonly at: number } | undefined;

  private constructor(account: Account) {
    this.account = account;
  }

  static async join(role: Role, options: AccountOptions = {}): Promise<Member> {
    return new Member(await makeAccount(role, options));
  }

  /** For one immediate request. */
  async caller(): Promise<Caller> {
    return { token: await this.freshToken() };
  }

  async freshToken(): Promise<string> {
    this.sessionId ??= (await session(this.account)).sessionId;
    if (this.token === undefined || performance.now() - this.token.at > 20_000) {
      this.token = { text: await tokenOfSession(this.sessionId), at: performance.now() };
    }
    return this.token.text;
  }
}
