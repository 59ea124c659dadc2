// Plain JavaScript without dependencies: cli/bootstrap.mjs uses it on Node 20, before anything is installed.
import { request } from "node:http";
import { request as requestOverTls } from "node:https";

const loopback = ["localhost", "127.0.0.1", "::1"];
const names = ["http_proxy", "https_proxy", "no_proxy"];

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
  const missing = excluded.includes("*") ? [] : loopback.filter((host) => !excluded.includes(host));
  const values = {
    http_proxy: value("http_proxy"),
    https_proxy: value("https_proxy"),
    no_proxy: [...excluded, ...missing].join(","),
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

const problemOf = (variable, proxy, why) => {
  const { protocol, host } = new URL(proxy);
  return {
    what: `The proxy ${protocol}//${host}, set in ${variable}, ${why}`,
    remedy: `correct or unset ${variable}; hosts that need no proxy belong in no_proxy.`,
  };
};

/** Asks a proxy for a tunnel, as every HTTPS download does. Resolves to undefined after any answer. */
function tunnelProblem(proxy, target, milliseconds) {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const secure = protocol === "https:";
  const login =
    username === ""
      ? {}
      : {
          "proxy-authorization": `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`,
        };
  return new Promise((resolve) => {
    const asked = (secure ? requestOverTls : request)({
      host: hostname,
      port: port || (secure ? 443 : 80),
      method: "CONNECT",
      path: `${target.hostname}:${target.port || (target.protocol === "http:" ? 80 : 443)}`,
      headers: { host: target.host, ...login },
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

const isExcluded = (host, excluded) =>
  excluded
    .split(/[\s,]+/)
    .some(
      (entry) =>
        entry === "*" ||
        (entry !== "" && (host === entry || host.endsWith(entry.startsWith(".") ? entry : `.${entry}`))),
    );

/**
 * Asks the proxy of an address before the first download: npm, apt and Go would wait for a silent proxy for many minutes without output.
 * @param {string} url address to reach
 * @returns {Promise<{ what: string, remedy: string } | undefined>} the problem with the name of the variable
 */
export async function proxyProblem(url, environment = process.env, milliseconds = 10_000) {
  const target = new URL(url);
  const variable = target.protocol === "http:" ? "http_proxy" : "https_proxy";
  const name = [variable, variable.toUpperCase()].find((candidate) => environment[candidate]);
  if (name === undefined || isExcluded(target.hostname, environment.no_proxy || environment.NO_PROXY || ""))
    return undefined;
  const proxy = environment[name].includes("://") ? environment[name] : `http://${environment[name]}`;
  if (!URL.canParse(proxy))
    return { what: `${name} is not a URL`, remedy: `write http://host:port into ${name}, or unset it.` };
  const problem = await tunnelProblem(proxy, target, milliseconds);
  return problem === undefined ? undefined : problemOf(name, proxy, problem);
}
