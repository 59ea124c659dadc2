/**
 * The service as clients behind one address see it, under fake timers: logins with a limit, tokens that end or are withdrawn, WebSockets and a
 * stream of rows. Nothing waits for real time.
 */
import { vi } from "vitest";

export interface Row {
  readonly position: number;
  readonly timestamp: string;
  readonly prefix: string;
}

interface Token {
  readonly exp: number;
  readonly key: number;
}

const tokenSeconds = 900;
const loginsPerMinute = 30;
const rowSeconds = 5;

/** A service whose state the test changes. */
export class SimulatedService {
  key = 1;
  /** Connections get no answer and are not closed. */
  isNetworkAway = false;
  /** Connections and logins are refused at once. */
  isDown = false;
  /** The engine ends operations with the error `busy`. */
  isBusy = false;
  /** The engine sends errors as results. */
  isWithoutDatabase = false;
  logins = 0;
  throttled = 0;
  readonly rows: Row[] = [];
  readonly sockets = new Set<SimulatedSocket>();
  readonly #tokens = new Map<string, Token>();
  #loginRoom = loginsPerMinute;

  constructor() {
    setInterval(() => (this.#loginRoom = Math.min(loginsPerMinute, this.#loginRoom + 1)), 60_000 / loginsPerMinute);
    setInterval(() => {
      const timestamp = new Date(Date.now()).toISOString().slice(0, 19);
      this.rows.push({ position: this.rows.length + 1, timestamp, prefix: `198.18.${this.rows.length % 256}.0/24` });
      for (const socket of this.sockets) socket.poll();
    }, rowSeconds * 1000);
    setInterval(() => {
      for (const socket of this.sockets) socket.checkToken();
    }, 1000);
  }

  /** `fetch` of a login. */
  async login(): Promise<Response> {
    await delay(50);
    if (this.isNetworkAway || this.isDown) throw new TypeError("Failed to fetch");
    if (this.#loginRoom < 1) {
      this.throttled += 1;
      return Response.json({ error: "too many" }, { status: 429, headers: { "retry-after": "2" } });
    }
    this.#loginRoom -= 1;
    this.logins += 1;
    const iat = Math.floor(Date.now() / 1000);
    const claims = { iat, exp: iat + tokenSeconds, jti: this.logins };
    const token = `e30.${btoa(JSON.stringify(claims))}.s`;
    this.#tokens.set(token, { exp: claims.exp, key: this.key });
    return Response.json({ access_token: token });
  }

  accepts(token: string): boolean {
    const known = this.#tokens.get(token);
    return known !== undefined && known.key === this.key && known.exp * 1000 > Date.now();
  }

  /** Closes all connections, as a reload of the gateway or a new engine does. */
  closeAll(code: number): void {
    for (const socket of this.sockets) socket.end(code);
  }

  /** The WebSocket class of this service's clients. */
  socketClass(): typeof WebSocket {
    const connected = (socket: SimulatedSocket): SimulatedService => {
      this.sockets.add(socket);
      return this;
    };
    return class extends SimulatedSocket {
      constructor() {
        super(connected);
      }
    } as unknown as typeof WebSocket;
  }
}

const delay = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

class SimulatedSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  onclose: ((event: unknown) => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  readonly #service: SimulatedService;
  #token = "";
  #stream: { readonly id: string; readonly field: string; sent: number; readonly from: number } | undefined;

  constructor(connect: (socket: SimulatedSocket) => SimulatedService) {
    this.#service = connect(this);
    setTimeout(() => {
      if (this.#service.isNetworkAway || this.#service.isDown) {
        // A browser reports an error before the close.
        this.onerror?.({ type: "error" });
        this.end(1006);
        return;
      }
      this.readyState = 1;
      this.onopen?.();
    }, 50);
  }

  send(text: string): void {
    if (this.#service.isNetworkAway) return;
    const message = JSON.parse(text) as {
      type: string;
      id: string;
      payload: { headers: { Authorization: string }; query: string; variables?: { from: number } };
    };
    if (message.type === "ping") this.#answer({ type: "pong" });
    if (message.type === "connection_init") {
      this.#token = message.payload.headers.Authorization.replace("Bearer ", "");
      if (this.#service.accepts(this.#token)) this.#answer({ type: "connection_ack" });
      else this.end(4403);
    }
    if (message.type === "subscribe") {
      const { query, variables } = message.payload;
      const [field = ""] = /view_\w+/.exec(query) ?? [];
      this.#stream = { id: message.id, field, from: variables?.from ?? 0, sent: 0 };
      this.poll();
    }
  }

  /** Sends the rows after the position of the stream. */
  poll(): void {
    if (this.#stream === undefined || this.readyState !== 1) return;
    if (this.#service.isNetworkAway) return;
    const { id, field, from, sent } = this.#stream;
    if (this.#service.isBusy) {
      this.#stream = undefined;
      this.#answer({ type: "error", id, payload: [{ message: "busy", extensions: { code: "busy" } }] });
      return;
    }
    if (this.#service.isWithoutDatabase)
      return this.#answer({ type: "next", id, payload: { data: null, errors: [{ message: "connection error" }] } });
    const rows = this.#service.rows.slice(sent).filter(({ position }) => position > from);
    this.#stream.sent = this.#service.rows.length;
    if (rows.length > 0) this.#answer({ type: "next", id, payload: { data: { [field]: rows } } });
  }

  checkToken(): void {
    if (this.#token !== "" && !this.#service.accepts(this.#token)) this.end(4403);
  }

  /** Closes the connection. Without a network, the client does not hear of it. */
  end(code: number): void {
    if (this.readyState === 3) return;
    this.#service.sockets.delete(this);
    const wasOpen = this.readyState === 1;
    this.readyState = 3;
    if (this.#service.isNetworkAway && wasOpen) return;
    this.onclose?.({ code, reason: "" });
  }

  close(code = 1000): void {
    this.end(code);
  }

  #answer(message: unknown): void {
    setTimeout(() => {
      if (this.readyState === 1) this.onmessage?.({ data: JSON.stringify(message) });
    }, 10);
  }
}

/** Random numbers that are the same in each run. */
export function repeatableRandom(): void {
  let state = 1;
  vi.spyOn(Math, "random").mockImplementation(() => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  });
}
