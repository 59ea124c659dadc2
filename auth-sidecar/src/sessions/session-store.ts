import type { Redis } from "ioredis";
import { batch, sharedWidely } from "../batch.ts";
import type { Settings } from "../settings.ts";
import { newSessionId, sessionDigest } from "./session-cookie.ts";
import { assertReady, script } from "./redis.ts";
import { createSession, endSession, endSessions, listSessions, useSessions } from "./session-scripts.ts";

type SessionLimits = Pick<Settings, "SESSION_IDLE_SECONDS" | "SESSION_ABSOLUTE_SECONDS">;

export interface SessionTimes {
  readonly createdAt: Date;
  readonly usedAt: Date;
}

type Script = ReturnType<typeof script>;

/** Sessions in Redis, under the digest of their id. All methods throw {@link Unavailable} while Redis does not answer. */
export class SessionStore {
  readonly #redis: Redis;
  readonly #limits: SessionLimits;
  readonly #create: Script;
  readonly #end: Script;
  readonly #endAll: Script;
  readonly #list: Script;
  /** Marks a session as used and returns its user's id; undefined when unknown, ended or past a limit. Concurrent calls share a command. */
  readonly use: (id: string) => Promise<string | undefined>;

  constructor(redis: Redis, limits: SessionLimits) {
    this.#redis = redis;
    this.#limits = limits;
    this.#create = script(redis, "createSession", createSession);
    this.#end = script(redis, "endSession", endSession);
    this.#endAll = script(redis, "endSessions", endSessions);
    this.#list = script(redis, "listSessions", listSessions);
    const useAll = script(redis, "useSessions", useSessions);
    this.use = batch(
      async (ids: readonly string[]) => {
        const digests = ids.map(sessionDigest);
        const values = [limits.SESSION_IDLE_SECONDS * 1000, limits.SESSION_ABSOLUTE_SECONDS * 1000, ...digests];
        const userIds = (await useAll(digests.map(sessionKey), values)) as readonly (string | null)[];
        return userIds.map((userId) => userId ?? undefined);
      },
      { ...sharedWidely, part: "sessions", name: "useSessions" },
    );
  }

  /** Fails early while no session could be created. */
  assertReady(): void {
    assertReady(this.#redis);
  }

  /** @param replaces id of the session that the client presented; it ends (session fixation, ASVS 7.2.4) @returns the new session's id */
  async create(userId: string, replaces: string | undefined): Promise<string> {
    const id = newSessionId();
    const digest = sessionDigest(id);
    const { SESSION_IDLE_SECONDS: idleSeconds, SESSION_ABSOLUTE_SECONDS: absoluteSeconds } = this.#limits;
    const old = replaces === undefined ? "" : sessionDigest(replaces);
    await this.#create(
      [sessionKey(digest), indexKey(userId)],
      [digest, userId, idleSeconds * 1000, absoluteSeconds * 1000, old],
    );
    return id;
  }

  /** @returns the user's id; undefined when there was no such session */
  async end(id: string): Promise<string | undefined> {
    const digest = sessionDigest(id);
    const userId = await this.#end([sessionKey(digest)], [digest]);
    return typeof userId === "string" ? userId : undefined;
  }

  /** @returns the number of ended sessions */
  async endAll(userId: string): Promise<number> {
    return Number(await this.#endAll([indexKey(userId)], []));
  }

  async list(userId: string): Promise<SessionTimes[]> {
    const found = (await this.#list([indexKey(userId)], [])) as [string, string][];
    return found.map(([created, used]) => ({ createdAt: new Date(Number(created)), usedAt: new Date(Number(used)) }));
  }
}

const sessionKey = (digest: string): string => `session:${digest}`;
const indexKey = (userId: string): string => `user-sessions:${userId}`;
