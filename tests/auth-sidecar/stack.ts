import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Client as DatabaseClient } from "pg";
import { createLogger } from "@routeql/auth-sidecar/logging";
import { hashPassword } from "@routeql/auth-sidecar/passwords/password-hash";
import { readSettings, type Settings } from "@routeql/auth-sidecar/settings";
import { startSidecar, type Sidecar } from "@routeql/auth-sidecar/sidecar";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";
import { type StartedSessionsContainer, startSessions } from "../harness/containers/sessions-container.ts";
import { Client, gatewayKey } from "./client.ts";

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

export interface RunningSidecar extends AsyncDisposable {
  readonly sidecar: Sidecar;
  readonly client: Client;
  /** Everything logged so far. */
  readonly log: () => string;
}

type Environment = Readonly<Record<string, string>>;

interface StartOptions {
  readonly waits?: boolean;
  readonly lives?: Partial<Settings>;
}

/** The files of the suite share two processes, and those of one process a pair of containers, which the end of the run removes. */
let containers: Promise<readonly [StartedDatabaseContainer, StartedSessionsContainer]> | undefined;

/** A database and a session store in containers, empty at first, and sidecars in this process that use them. */
export class Stack implements AsyncDisposable {
  readonly database: StartedDatabaseContainer;
  readonly sessions: StartedSessionsContainer;
  readonly sql: DatabaseClient;
  readonly environment: Environment;
  readonly secrets: readonly string[];

  private constructor(database: StartedDatabaseContainer, sessions: StartedSessionsContainer, sql: DatabaseClient) {
    this.database = database;
    this.sessions = sessions;
    this.sql = sql;
    this.environment = {
      PORT: "0",
      METRICS_PORT: "0",
      DATABASE_URL: database.getConnectionUri("sidecar"),
      SESSIONS_URL: sessions.getConnectionUri(),
      GATEWAY_KEY: gatewayKey,
      SERVICE_API_KEY: randomBytes(24).toString("hex"),
      KEY_ENCRYPTION_KEY: randomBytes(24).toString("hex"),
      LOGIN_ATTEMPTS_PER_ADDRESS: "1000",
      LOG_LEVEL: "debug",
    };
    const { SERVICE_API_KEY, KEY_ENCRYPTION_KEY, DATABASE_URL, SESSIONS_URL } = this.environment;
    this.secrets = [
      SERVICE_API_KEY!,
      KEY_ENCRYPTION_KEY!,
      new URL(DATABASE_URL!).password,
      new URL(SESSIONS_URL!).password,
    ];
  }

  static async start(): Promise<Stack> {
    const [database, sessions] = await (containers ??= Promise.all([startDatabase(), startSessions()]));
    const sql = await database.connect("owner");
    await sql.query(
      "truncate auth.users, auth.organisations, auth.signing_keys, auth.audit_events, auth.revoked_tokens cascade",
    );
    const redis = new Redis(sessions.getControlUri());
    await redis.flushall();
    redis.disconnect();
    return new Stack(database, sessions, sql);
  }

  /**
   * A sidecar of this stack; `overrides` replace settings. It is ready when this resolves, unless `waits` is false. `lives` sets
   * lifetimes that are shorter than a deployment allows.
   */
  async sidecar(overrides: Environment = {}, { waits = true, lives = {} }: StartOptions = {}): Promise<RunningSidecar> {
    const settings = { ...readSettings({ ...this.environment, ...overrides }), SHUTDOWN_SECONDS: 0, ...lives };
    const chunks: string[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk.toString());
        done();
      },
    });
    const sidecar = await startSidecar(settings, createLogger(settings.LOG_LEVEL, sink), "127.0.0.1");
    if (waits) {
      await sidecar.prepared;
      while (!(await fetch(`http://127.0.0.1:${sidecar.port}/readyz`)).ok) await sleep(20);
    }
    return {
      sidecar,
      client: new Client(`http://127.0.0.1:${sidecar.port}`, settings.SERVICE_API_KEY),
      log: () => chunks.join(""),
      [Symbol.asyncDispose]: () => sidecar.stop(),
    };
  }

  async addUser(
    role = "viewer",
    { organisation, passwordHash }: { organisation?: string; passwordHash?: string } = {},
  ): Promise<TestUser> {
    const user = {
      id: randomBytes(6).toString("hex"),
      email: `${randomBytes(6).toString("hex")}@example.net`,
      password: randomBytes(12).toString("base64url"),
    };
    if (organisation !== undefined) {
      await this.sql.query("insert into auth.organisations (id, name) values ($1, $1) on conflict do nothing", [
        organisation,
      ]);
    }
    await this.sql.query(
      "insert into auth.users (id, email, name, password_hash, role, organisation_id) values ($1, $2, $3, $4, $5, $6)",
      [
        user.id,
        user.email,
        `Test user ${user.id}`,
        passwordHash ?? (await hashPassword(user.password)),
        role,
        organisation ?? null,
      ],
    );
    return user;
  }

  /** The active sessions of a user. */
  async sessionCount(userId: string): Promise<number> {
    const redis = new Redis(this.sessions.getControlUri());
    try {
      return await redis.zcard(`user-sessions:${userId}`);
    } finally {
      redis.disconnect();
    }
  }

  /** Audit events of a user, the oldest first. */
  async audit(userId: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.sql.query("select * from auth.audit_events where user_id = $1 order by id", [userId]);
    return rows as Record<string, unknown>[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sql.end();
  }
}
