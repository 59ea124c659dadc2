// Plain JavaScript without dependencies: cli/bootstrap.mjs uses it on Node 20, before anything is installed.
import { request } from "node:http";
import { request as requestOverTls } from "node:https";
import { isIP } from "node:net";

const loopback = ["localhost", "127.0.0.1", "::1"];
const names = ["http_proxy", "https_proxy", "no_proxy"];

/** As curl, npm and Go read an address without a scheme. Node would end at its start. */
const withScheme = (text) => (text === "" || text.includes("://") ? text : `http://${text}`);

/** Its last label has a letter, unlike addresses and ranges of them. */
const hostName = /^(?:[a-z0-9_-]+\.)*[0-9_-]*[a-z][a-z0-9_-]*$/i;

const network = /^(\d+(?:\.\d+){3})\/(\d+)$/;

const numberOf = (address) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

/** The first and last address of a network such as 10.0.0.0/8, as Node writes ranges: curl and Go read the network itself. */
function rangeOf(entry) {
  const [, address, length] = network.exec(entry) ?? [];
  if (!address || isIP(address) === 0 || Number(length) > 32) return [];
  const size = 2 ** (32 - Number(length));
  const first = numberOf(address) - (numberOf(address) % size);
  const written = (value) => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  return [`${written(first)}-${written(first + size - 1)}`];
}

/**
 * More forms of an entry, with which Node reads it as curl and Go do. An IPv6 address in its shortest form: fetch compares it in brackets, and
 * other clients without. A name with a dot before it: else they use the proxy for its subdomains; npm and curl do not know `*.` before it.
 */
function formsOf(entry) {
  if (entry.startsWith("*.")) return formsOf(entry.slice(2));
  if (hostName.test(entry) && entry.toLowerCase() !== "localhost") return [`.${entry}`];
  if (isIP(bare(entry)) !== 6 || entry.includes("%")) return [];
  const { hostname } = new URL(`http://[${bare(entry)}]`);
  return [bare(hostname), hostname];
}

/**
 * The proxy settings in lower and upper case, with loopback addresses excluded. Programs differ in the case that they read, and without the
 * exclusion Pulumi would send its gRPC calls to 127.0.0.1 through the proxy. Lower case wins, as in curl.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Record<string, string>} variables to set; none without a proxy
 */
export function proxyEnvironment(environment) {
  const value = (name) => environment[name] || environment[name.toUpperCase()] || "";
  if (!value("http_proxy") && !value("https_proxy")) return {};
  const excluded = value("no_proxy")
    .split(/[\s,]+/)
    .filter(Boolean);
  const added = [...loopback, ...[...loopback, ...excluded].flatMap(formsOf), ...excluded.flatMap(rangeOf)];
  const missing = [...new Set(added)].filter((host) => !excluded.includes(host));
  const values = {
    http_proxy: withScheme(value("http_proxy")),
    https_proxy: withScheme(value("https_proxy")),
    // Node and curl know the asterisk only alone, and Go in a list too.
    no_proxy: excluded.includes("*") ? "*" : [...excluded, ...missing].join(","),
  };
  const set = names.filter((name) => values[name] !== "");
  return Object.fromEntries([
    ...set.flatMap((name) => [
      [name, values[name]],
      [name.toUpperCase(), values[name]],
    ]),
    // Without this variable, Node's own fetch ignores proxies.
    ["NODE_USE_ENV_PROXY", "1"],
  ]);
}

/**
 * The address of a proxy; undefined for a text that Node cannot read, with which each process of Node would end at its start.
 * @param {string} text
 */
function parsed(text) {
  try {
    // Node 20.9 has no URL.parse.
    const url = new URL(withScheme(text));
    return { url, login: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` };
  } catch {
    return undefined;
  }
}

const unreadable = (variable) => ({
  what: `${variable} is not a URL`,
  remedy: `write http://host:port or http://user:password@host:port into ${variable}, with each % # / ? @ : of user and password as %25 %23 %2F %3F %40 %3A, or unset it.`,
});

/**
 * The first variable with a proxy whose address is not a URL.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {{ what: string, remedy: string } | undefined}
 */
export function unreadableProxy(environment) {
  const variable = ["http_proxy", "https_proxy"]
    .flatMap((name) => [name, name.toUpperCase()])
    .find((name) => environment[name] && !parsed(environment[name]));
  return variable && unreadable(variable);
}

const problemOf = (variable, { url: { protocol, host } }, why) => {
  return {
    what: `The proxy ${protocol}//${host}, set in ${variable}, ${why}`,
    remedy: `correct or unset ${variable}; hosts that need no proxy belong in no_proxy.`,
  };
};

/** An IPv6 address without its brackets. */
const bare = (host) => host.replace(/^\[|\]$/g, "");

/** Asks a proxy for a tunnel, as every HTTPS download does. Resolves to undefined after any answer. */
function tunnelProblem({ url: { protocol, hostname, port, username }, login }, target, milliseconds) {
  const secure = protocol === "https:";
  const authorization =
    username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
  return new Promise((resolve) => {
    const asked = (secure ? requestOverTls : request)({
      host: bare(hostname),
      port: port || (secure ? 443 : 80),
      method: "CONNECT",
      path: `${target.hostname}:${target.port || (target.protocol === "http:" ? 80 : 443)}`,
      headers: { host: target.host, ...authorization },
      agent: false,
    });
    const timer = setTimeout(
      () => asked.destroy(new Error(`does not answer within ${milliseconds / 1000} s`)),
      milliseconds,
    );
    const end = (problem) => {
      clearTimeout(timer);
      asked.destroy();
      resolve(problem);
    };
    asked.on("connect", ({ statusCode }) => end(statusCode === 407 ? "requires a login (407)" : undefined));
    asked.on("response", ({ statusCode }) => end(statusCode === 407 ? "requires a login (407)" : undefined));
    asked.on("error", (error) =>
      end(/within/.test(error.message) ? error.message : `cannot be used: ${error.message}`),
    );
    asked.end();
  });
}

/** Ranges and networks of IPv4, as Node, which downloads, reads them after `proxyEnvironment`: it knows none of IPv6. */
function isInRange(host, entry) {
  const [first = "", last = ""] = (rangeOf(entry)[0] ?? entry).split("-");
  if (![host, first, last].every((address) => isIP(address) === 4)) return false;
  return numberOf(first) <= numberOf(host) && numberOf(host) <= numberOf(last);
}

/** Entries as in curl: a host with its subdomains, also as `.host` and `*.host`, with or without the port, or a range of IPv4 (10.0.0.0/8). */
function isExcluded({ hostname, protocol, port }, excluded) {
  const [host, suffix] = [bare(hostname), `:${port || (protocol === "http:" ? 80 : 443)}`];
  const withoutPort = (entry) => (isIP(entry) === 0 && entry.endsWith(suffix) ? entry.slice(0, -suffix.length) : entry);
  return excluded
    .toLowerCase()
    .split(/[\s,]+/)
    .map((entry) => bare(withoutPort(entry)).replace(/^\*?\./, ""))
    .some(
      (entry) =>
        entry === "*" || (entry !== "" && (host === entry || host.endsWith(`.${entry}`) || isInRange(host, entry))),
    );
}

/**
 * Asks the proxy of an address before the first download: npm, apt and Go would wait for a silent proxy for many minutes without output.
 * @param {string} url address to reach
 * @returns {Promise<{ what: string, remedy: string } | undefined>} the problem with the name of the variable
 */
export async function proxyProblem(url, environment = process.env, milliseconds = 10_000) {
  const target = new URL(url);
  const variable = target.protocol === "http:" ? "http_proxy" : "https_proxy";
  const name = [variable, variable.toUpperCase()].find((candidate) => environment[candidate]);
  if (name === undefined || isExcluded(target, environment.no_proxy || environment.NO_PROXY || "")) return undefined;
  const proxy = parsed(environment[name]);
  if (!proxy) return unreadable(name);
  // Programs with their own support of SOCKS ask such a proxy themselves.
  if (!/^https?:$/.test(proxy.url.protocol)) return undefined;
  const problem = await tunnelProblem(proxy, target, milliseconds);
  return problem === undefined ? undefined : problemOf(name, proxy, problem);
}
