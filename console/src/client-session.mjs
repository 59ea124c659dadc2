/**
 * A session that comes back by itself: one login for all requests and connections of a client, with pauses between attempts.
 * Password and token stay in memory.
 */

/** The server refused the credentials. Another attempt with them is useless. */
export class LoginRefused extends Error {
  /** @param {string} message @param {number} status of the reply, 0 without one */
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/** The login failed for a reason that can end: no network, too many requests, a busy server. */
export class LoginDelayed extends Error {
  /** @param {string} message @param {number} seconds what the server asks to wait */
  constructor(message, seconds) {
    super(message);
    this.seconds = seconds;
  }
}

/**
 * One attempt to log in with user name and password.
 * @param {string} api @param {string} username @param {string} password @returns {() => Promise<string>}
 */
export function passwordLogin(api, username, password) {
  return async () => {
    const response = await fetch(`${api}/jwt/auth`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password }),
      credentials: "omit",
    }).catch(() => {
      throw new LoginDelayed("The server cannot be reached.", 0);
    });
    /** @type {{ access_token?: string, error?: string }} */
    const reply = await response.json().catch(() => ({}));
    if (reply.access_token !== undefined) return reply.access_token;
    const reason = `The login failed with status ${response.status}: ${reply.error ?? "no reason"}`;
    if (response.status === 429 || response.status >= 500)
      throw new LoginDelayed(reason, Number(response.headers.get("retry-after")) || 0);
    throw new LoginRefused(reason, response.status);
  };
}

/** Random, so that clients that failed together do not return together; each attempt waits longer, up to 30 seconds. */
export const pause = (/** @type {number} */ attempt, seconds = 0) =>
  new Promise((resolve) => setTimeout(resolve, 1000 * (seconds + Math.random() * Math.min(30, 2 ** (attempt + 1)))));

/** Codes of requests that were refused before anything was executed, so that another attempt is safe and can succeed. */
const tooBusy = new Set(["busy", "too-many-requests"]);
/** Of a request; a person who waits longer should see the error. */
const mostRepetitions = 2;

/** @param {AbortSignal | null | undefined} signal @param {number} attempt @param {number} seconds */
async function pauseUnlessAborted(signal, attempt, seconds) {
  let stop = () => {};
  const aborted = new Promise((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener("abort", stop);
  });
  try {
    signal?.throwIfAborted();
    await Promise.race([pause(attempt, seconds), aborted]);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * A client of graphql-ws that connects again, also after a network that disappeared without the close of its connections.
 * @param {typeof import("graphql-ws").createClient} createClient
 * @param {import("graphql-ws").ClientOptions} options
 */
export function lastingClient(createClient, options) {
  const { on = {} } = options;
  /** @type {ReturnType<typeof setTimeout>} */
  let silence;
  const client = createClient({
    retryAttempts: Infinity,
    retryWait: (attempt) => pause(attempt).then(() => undefined),
    shouldRetry: () => true,
    keepAlive: 15_000,
    ...options,
    on: {
      ...on,
      closed: (event) => {
        clearTimeout(silence);
        on.closed?.(event);
      },
      ping: (isReceived) => {
        if (!isReceived) silence = setTimeout(() => client.terminate(), 10_000);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(silence);
      },
    },
  });
  return client;
}

/**
 * A client whose operations start again after a pause when the server was too busy for them. It repeats all results of a subscription, so it is
 * not for streams.
 * @param {import("graphql-ws").Client} client @returns {import("graphql-ws").Client}
 */
export function afterBusy(client) {
  const isBusy = (/** @type {unknown} */ reason) => Array.isArray(reason) && reason[0]?.extensions?.code === "busy";
  return {
    ...client,
    subscribe(payload, sink) {
      let failures = 0;
      let isEnded = false;
      let end = () => {};
      const start = () => {
        end = client.subscribe(payload, {
          next: (result) => {
            failures = 0;
            sink.next(/** @type {any} */ (result));
          },
          error: (reason) => {
            if (!isBusy(reason)) return sink.error(reason);
            void pause(failures++, 1).then(() => (isEnded ? sink.complete() : start()));
          },
          complete: () => sink.complete(),
        });
      };
      start();
      return () => {
        isEnded = true;
        end();
      };
    },
    async *iterate(payload) {
      for (let failures = 0; ;) {
        try {
          for await (const result of client.iterate(payload)) {
            failures = 0;
            yield /** @type {any} */ (result);
          }
          return;
        } catch (reason) {
          if (!isBusy(reason)) throw reason;
          await pause(failures++, 1);
        }
      }
    },
  };
}

/**
 * @param {() => Promise<string>} logIn one attempt to get a token. It throws LoginDelayed when another attempt can succeed.
 * @param {string} firstToken a token that the caller already has
 * @param {boolean} renewsEarly false to use a token until the server rejects it, as when a person must paste another one
 */
export function createSession(logIn, firstToken = "", renewsEarly = true) {
  let token = firstToken;
  let [receivedAt, renewAt] = [0, 0];
  let failures = 0;
  /** @type {Promise<string> | undefined} */
  let login;
  /** @type {unknown} */
  let refusal;
  if (token !== "") keep(token);

  /** @param {string} received */
  function keep(received) {
    const { iat, exp } = JSON.parse(atob((received.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
    token = received;
    receivedAt = Date.now();
    // Counted from now, so a wrong clock does no harm. One or two minutes before the end, or earlier for a short life.
    renewAt = renewsEarly
      ? receivedAt + (exp - iat) * 1000 - Math.min(60_000, (exp - iat) * 250) * (1 + Math.random())
      : Infinity;
  }

  async function newToken() {
    for (let seconds = 0; ;) {
      if (failures > 0) await pause(failures - 1, seconds);
      try {
        keep(await logIn());
        return token;
      } catch (error) {
        if (!(error instanceof LoginDelayed)) {
          refusal = error;
          throw error;
        }
        failures += 1;
        seconds = error.seconds;
      }
    }
  }

  /** The token, or a new one before it ends. Waits while the server cannot answer. @returns {Promise<string>} */
  async function accessToken() {
    if (refusal !== undefined) throw refusal;
    if (token !== "" && Date.now() < renewAt) return token;
    // A token that ends by itself has nothing to do with earlier failures: requests would wait for a pause.
    if (token !== "" && login === undefined) failures = 0;
    login ??= newToken().finally(() => (login = undefined));
    return login;
  }

  /** Forgets a token that the server rejected. @param {string} rejected */
  function drop(rejected) {
    // Another request of this client may have replaced it already.
    if (rejected !== token) return;
    token = "";
    failures = Date.now() - receivedAt < 60_000 ? failures + 1 : 1;
  }

  /**
   * `fetch` with the token. Repeats a request whose token was rejected, and one that the server was too busy for: nothing of it was executed.
   * @type {typeof fetch}
   */
  const authorizedFetch = async (input, init) => {
    let hasNewToken = false;
    for (let repetitions = 0; ;) {
      const used = await accessToken();
      const headers = new Headers(init?.headers);
      headers.set("Authorization", `Bearer ${used}`);
      const response = await fetch(input, { ...init, headers });
      const reply = await response
        .clone()
        .json()
        .catch(() => undefined);
      const code = reply?.errors?.[0]?.extensions?.code ?? reply?.code;
      if (code === "invalid-jwt" && !hasNewToken) {
        drop(used);
        hasNewToken = true;
      } else if (tooBusy.has(code) && repetitions < mostRepetitions) {
        await pauseUnlessAborted(init?.signal, repetitions, Number(response.headers.get("retry-after")) || 1);
        repetitions += 1;
      } else return response;
    }
  };

  /**
   * A client of graphql-ws that connects again with the session's token until the server refuses the login.
   * @param {typeof import("graphql-ws").createClient} createClient
   * @param {string} url
   * @param {import("graphql-ws").ClientOptions["on"]} on
   */
  function connect(createClient, url, on = {}) {
    let sent = "";
    return lastingClient(createClient, {
      // Waits for the token before it connects: the server expects it within three seconds. An error here would stop the client without a message.
      url: async () => {
        await accessToken().catch(() => undefined);
        return url;
      },
      connectionParams: async () => {
        sent = await accessToken();
        return { headers: { Authorization: `Bearer ${sent}` } };
      },
      // graphql-ws calls an error of the network or of connectionParams final.
      shouldRetry: () => refusal === undefined,
      on: {
        ...on,
        closed: (event) => {
          if (/** @type {CloseEvent} */ (event).code === 4403) drop(sent);
          on.closed?.(event);
        },
      },
    });
  }

  /** Like `connect`, for live queries: they continue after `busy`. @type {typeof connect} */
  const live = (createClient, url, on) => afterBusy(connect(createClient, url, on));

  return { accessToken, drop, fetch: authorizedFetch, connect, live };
}
