import { randomBytes } from "node:crypto";
import { assertDescribed } from "./interface-description.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined for an empty body. */
  readonly body: unknown;
  readonly milliseconds: number;
}

export interface CallOptions {
  /** JSON value of the body, or its raw text with `raw`. */
  readonly body?: unknown;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Session id for the cookie sid. */
  readonly sessionId?: string;
  /** The client's address as set by the gateway; unique by default, so that tests do not throttle each other. */
  readonly address?: string;
  /** The service key to send; undefined sends none. */
  readonly serviceKey?: string | null;
}

/** The user record of the login reply. */
export interface LoggedIn {
  readonly _id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly lastLogin: string | null;
  readonly sessionId: string;
}

export interface LoginReply {
  readonly user: LoggedIn;
}

/** The key by which the tests' clients stand for the gateway. */
export const gatewayKey = randomBytes(24).toString("hex");

let clients = 0;

/** An address that no other call has used. */
export function freshAddress(): string {
  clients += 1;
  return `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`;
}

/** Calls a sidecar like the gateway, and checks every reply against the interface description. */
export class Client {
  readonly url: string;
  readonly #serviceKey: string;

  constructor(url: string, serviceKey: string) {
    this.url = url;
    this.#serviceKey = serviceKey;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const {
      body,
      raw = body === undefined ? undefined : JSON.stringify(body),
      sessionId,
      address = freshAddress(),
      serviceKey = this.#serviceKey,
    } = options;
    const startedAt = performance.now();
    const response = await fetch(this.url + path, {
      method,
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        "x-forwarded-for": address,
        "x-gateway-key": gatewayKey,
        ...(serviceKey === null ? {} : { "x-service-api-key": serviceKey }),
        ...(sessionId === undefined ? {} : { cookie: `sid=${sessionId}` }),
        ...options.headers,
      },
      ...(raw === undefined ? {} : { body: raw }),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
      milliseconds: performance.now() - startedAt,
    };
    assertDescribed({ method, path: path.replace(/\?.*$/, ""), ...answer });
    return answer;
  }

  login(email: string, password: string, options: CallOptions = {}): Promise<Answer> {
    return this.call("POST", "/api/auth/login/credentials", { body: { email, password }, ...options });
  }

  /** Logs in and returns the session's id. */
  async session(email: string, password: string, options: CallOptions = {}): Promise<string> {
    const answer = await this.login(email, password, options);
    if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return (answer.body as LoginReply).user.sessionId;
  }

  token(sessionId: string | undefined, options: CallOptions = {}): Promise<Answer> {
    return this.call("GET", "/api/auth/jwt", { ...(sessionId === undefined ? {} : { sessionId }), ...options });
  }

  logout(sessionId: string | undefined, options: CallOptions = {}): Promise<Answer> {
    return this.call("DELETE", "/api/auth/logout", { ...(sessionId === undefined ? {} : { sessionId }), ...options });
  }

  singleStep(username: string, password: string, options: CallOptions = {}): Promise<Answer> {
    return this.call("POST", "/jwt/auth", { body: { username, password }, serviceKey: null, ...options });
  }
}
