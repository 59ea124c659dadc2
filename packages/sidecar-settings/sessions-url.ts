/** Address of the session store: read once, for its check and for the connection. Other clients read parameters after `?` as options. */
export interface SessionsAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly encrypted: boolean;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads `redis[s]://[<user>]:<password>@<host>[:<port>][/<number>]`, also with `valkey[s]`.
 * @returns the end of a sentence about another text, without its values
 */
export function readSessionsUrl(text: string): SessionsAddress | string {
  const url = URL.parse(text);
  if (url === null || !/^(?:redis|valkey)s?:$/.test(url.protocol) || url.hostname === "")
    return "must be an address that starts with redis:// or rediss://. Write each / ? # @ : of the password as %2F %3F %23 %40 %3A";
  if (url.search !== "" || url.hash !== "")
    return "has parameters after ? or #, which are not supported. Remove them, or write ? and # of the password as %3F and %23";
  const [username, password] = [decoded(url.username), decoded(url.password)];
  if (username === undefined || password === undefined)
    return "has a % without two hexadecimal digits in the user or password. Write the character % as %25";
  const db = /^(?:\/(\d{1,5})?)?$/.exec(url.pathname);
  if (db === null) return "has something else after its host than the number of a database. Remove it";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 6379),
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password }),
    db: Number(db[1] ?? 0),
    encrypted: url.protocol === "rediss:" || url.protocol === "valkeys:",
  };
}
