import { existsSync } from "node:fs";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { UnreadableText, readText } from "@routeql/contract/written-text";
import type { KubeConfig } from "@kubernetes/client-node";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the server's address, with its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Called with each warning of the API server (RFC 7234, section 5.5; Kubernetes uses 299). */
export type OnWarning = (text: string) => void;

const requestMilliseconds = 60_000;

/** The text of each warning in a header: `299 - "text"`, separated by commas. */
export function warningsIn(header: string): string[] {
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1"));
}

/** The kubeconfig that kubectl would use: KUBECONFIG, else ~/.kube/config, else the pod's own service account. */
export const defaultConfig = (): KubeConfig => configOf(undefined, undefined);

const joined = <Entry extends { readonly name: string }>(one: readonly Entry[], other: readonly Entry[]): Entry[] => [
  ...one,
  ...other.filter(({ name }) => one.every((entry) => entry.name !== name)),
];

/** The library's reader rejects a text without content, which kubectl reads as no entries. */
const hasContent = (text: string): boolean => text.split("\n").some((line) => !/^\s*(?:#.*|---)?\s*$/.test(line));

/** Only the first line of the library's message stays: an excerpt of the text follows, which may have a token or a key. */
function reading<Result>(source: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnreadableText) throw new Error(`${source} ${error.message}`, { cause: error });
    const [reason = ""] = (error as Error).message.split("\n");
    // oxlint-disable-next-line preserve-caught-error -- its message has the excerpt
    throw new Error(`${source} is not a readable kubeconfig: ${reason}`);
  }
}

interface Client {
  readonly KubeConfig: new () => KubeConfig;
  readonly loadYaml: (text: string) => unknown;
}

interface WrittenUsers {
  readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string } | null }[] | null;
}

/** Reads a text as the library does, and `tokenFile`, which it knows by another name only. @param folder from which paths start */
function loadText(config: KubeConfig, { loadYaml }: Client, content: string, folder: string): void {
  config.loadFromString(content);
  config.makePathsAbsolute(folder);
  for (const { name, user } of (loadYaml(content) as WrittenUsers | null)?.users ?? []) {
    if (user?.tokenFile === undefined) continue;
    const authProvider = { name: "tokenFile", config: { tokenFile: resolve(folder, user.tokenFile) } };
    config.users = config.users.map((each) => (each.name === name ? { ...each, authProvider } : each));
  }
}

/** Reads a file once: a pipe, such as of `KUBECONFIG=<(...)`, is empty the second time. An empty file has no entries. */
const loadFile = (config: KubeConfig, client: Client, file: string): void =>
  reading(file, () => {
    const content = readText(file);
    if (hasContent(content)) loadText(config, client, content, dirname(file));
  });

/** Joins files as kubectl does: a missing file has no entries, and of equal names the first one counts. */
function loadListed(config: KubeConfig, client: Client, files: readonly string[]): void {
  const present = files.filter((file) => existsSync(file));
  if (present.length === 0) throw new Error(`KUBECONFIG names no existing file: ${files.join(", ")}`);
  for (const file of present) {
    const next = new client.KubeConfig();
    loadFile(next, client, file);
    config.clusters = joined(config.clusters, next.clusters);
    config.users = joined(config.users, next.users);
    config.contexts = joined(config.contexts, next.contexts);
    if (next.currentContext && !config.currentContext) config.setCurrentContext(next.currentContext);
  }
}

/** As the official provider reads its settings. @param given content or path of a kubeconfig; default: kubectl's @param context default: its current one */
export function configOf(given: string | undefined, context: string | undefined): KubeConfig {
  // Loaded only for clusters: it takes half of a command's startup time, and most stacks run on Docker.
  const client = createRequire(import.meta.url)("@kubernetes/client-node") as Client;
  const config = new client.KubeConfig();
  const listed = (process.env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  const own = join(homedir(), ".kube/config");
  if (given !== undefined && !existsSync(given))
    reading("the configured kubeconfig", () => loadText(config, client, given, "."));
  else if (given !== undefined) loadFile(config, client, given);
  else if (listed.length > 0) loadListed(config, client, listed);
  else if (existsSync(own)) loadFile(config, client, own);
  else reading("~/.kube/config", () => config.loadFromDefault());
  if (context !== undefined) config.setCurrentContext(context);
  return config;
}

/** Why a login failed. A plugin's answer is not repeated, because it may have a token. */
function loginProblem(config: KubeConfig, error: unknown): string {
  const { name = "", exec, authProvider } = config.getCurrentUser() ?? {};
  const program = (exec as { readonly command?: string } | undefined)?.command;
  if (program === undefined && authProvider !== undefined && authProvider.name !== "tokenFile")
    return `the kubeconfig's user ${name} has an auth-provider, which kubectl no longer has; replace it by an exec plugin`;
  const reason =
    error instanceof SyntaxError
      ? "it does not print JSON"
      : error instanceof TypeError && program !== undefined
        ? "it prints no credentials"
        : (error as Error).message.trim();
  const source = program === undefined ? "login" : `login plugin ${program}`;
  return `the ${source} of the kubeconfig's user ${name} failed: ${reason || "it gives no reason"}`;
}

/** Adds the login of the current user to a request. @throws Error that names the login */
export async function authorize(
  config: KubeConfig,
  options: Parameters<KubeConfig["applyToHTTPSOptions"]>[0],
): Promise<void> {
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    // oxlint-disable-next-line preserve-caught-error -- its message may have a token
    throw new Error(loginProblem(config, error));
  }
  // The file of a token may have a line end, with which Node rejects the header.
  const { headers } = options as { readonly headers?: Record<string, string> };
  if (headers?.["Authorization"] !== undefined) headers["Authorization"] = headers["Authorization"].trim();
}

/** A JSON client of one API server, from the kubeconfig's current context. */
export class ApiClient {
  readonly server: string;
  readonly defaultNamespace: string;
  readonly onWarning: OnWarning;
  private readonly config: KubeConfig;

  constructor(config: KubeConfig, onWarning: OnWarning = () => undefined) {
    const cluster = config.getCurrentCluster();
    if (!cluster) {
      throw new Error(
        "no Kubernetes cluster is configured: set KUBECONFIG, or kubectl's current context (kubectl config use-context)",
      );
    }
    if (!URL.canParse(cluster.server) || !/^https?:\/\//.test(cluster.server))
      throw new Error(
        `the kubeconfig's cluster ${cluster.name} has the server ${cluster.server}, which is no address such as https://192.0.2.1:6443`,
      );
    const { name = "", user = "" } = config.getContextObject(config.getCurrentContext()) ?? {};
    if (user !== "" && config.getCurrentUser() === null)
      throw new Error(
        `the kubeconfig's context ${name} has the user ${user}, which the file lacks: add it, or use another context`,
      );
    this.server = cluster.server.replace(/\/$/, "");
    this.defaultNamespace = config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
    this.config = config;
    this.onWarning = onWarning;
  }

  /** @throws ApiError when the server rejects the request; NoAnswer when it does not answer */
  async json<T>(request: ApiRequest): Promise<T> {
    return JSON.parse(await this.text(request)) as T;
  }

  async text(request: ApiRequest): Promise<string> {
    const { signal } = request;
    const limit = AbortSignal.timeout(requestMilliseconds);
    const response = await this.open({ ...request, signal: signal ? AbortSignal.any([signal, limit]) : limit }, signal);
    const all = await this.whole(response, signal);
    for (const warning of warningsIn(response.headers["warning"] ?? "")) this.onWarning(warning);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return all;
    throw new ApiError(status, all);
  }

  /** The reply to a GET as it arrives, with back-pressure and without a time limit. Its stream fails when the connection breaks. @throws ApiError */
  async stream(path: string, signal: AbortSignal): Promise<Readable> {
    const response = await this.open({ method: "GET", path, signal }, signal);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    throw new ApiError(status, await this.whole(response, signal));
  }

  /** @param given the caller's signal, whose reason is thrown */
  private failure(error: unknown, given: AbortSignal | undefined): Error {
    if (given?.aborted) return given.reason as Error;
    return new NoAnswer(this.server, error);
  }

  private async whole(response: IncomingMessage, given: AbortSignal | undefined): Promise<string> {
    try {
      return await text(response);
    } catch (error) {
      throw this.failure(error, given);
    }
  }

  private async open(
    { method, path, body, contentType = "application/json", signal }: ApiRequest,
    given: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    const options: RequestOptions = { method, headers: {} };
    await authorize(this.config, options);
    const url = new URL(this.server + path);
    const payload = body === undefined ? undefined : JSON.stringify(body);
    options.headers = {
      ...(options.headers as Record<string, string>),
      accept: "application/json, */*",
      // Without its length Node sends the body of a DELETE in a form that servers ignore.
      ...(payload === undefined
        ? {}
        : { "content-type": contentType, "content-length": String(Buffer.byteLength(payload)) }),
    };
    if (signal !== undefined) options.signal = signal;
    const send = url.protocol === "http:" ? httpRequest : httpsRequest;
    return new Promise((resolve, reject) => {
      const call = send(url, options, resolve);
      call.once("error", (error) => reject(this.failure(error, given)));
      call.end(payload);
    });
  }
}

class NoAnswer extends Error {
  /** Of the connection, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(server: string, cause: unknown) {
    const { message, code, name } = cause as NodeJS.ErrnoException;
    // A name with several addresses fails without a message.
    super(`the Kubernetes API server ${server} does not answer: ${message || code}`, { cause });
    this.code = name === "TimeoutError" ? "ETIMEDOUT" : code;
  }
}

const passing = /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;

/** Whether the same request may succeed later: the connection failed, or a server that starts or stops answered. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.code === 429 || error.code >= 500
    : error instanceof NoAnswer && passing.test(error.code ?? "");

/** The API server's Status of a rejected request. */
interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

export class ApiError extends Error {
  /** HTTP status. */
  readonly code: number;
  readonly reason: string | undefined;
  readonly causes: readonly { readonly field: string; readonly message: string }[];

  constructor(code: number, body: string) {
    const status = parseStatus(body);
    super(status?.message ?? `the API server answered ${code}: ${body.slice(0, 500)}`);
    this.name = "ApiError";
    this.code = code;
    this.reason = status?.reason;
    this.causes = (status?.details?.causes ?? []).map(({ field = "", message = "" }) => ({ field, message }));
  }

  /** The immutable fields that the request tried to change. */
  get immutableFields(): readonly string[] {
    if (this.code !== 422) return [];
    const fields = this.causes.filter(({ message }) => isImmutable(message)).map(({ field }) => field);
    return fields.length > 0 || !isImmutable(this.message) ? fields : ["spec"];
  }
}

const isImmutable = (message: string): boolean =>
  /immutable|may not change once set|updates to .* (are|is) forbidden|may not be changed/i.test(message);

function parseStatus(body: string): Status | undefined {
  try {
    return JSON.parse(body) as Status;
  } catch {
    return undefined;
  }
}

/** Undefined when the object does not exist; any other failure is thrown. */
export async function orUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}
