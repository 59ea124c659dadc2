import { Writable } from "node:stream";
import { type Execute, unlessAborted } from "@routeql/host/program-streams";

/** Health endpoints that name the cause in their body. */
const endpoints: Readonly<Record<string, string>> = { engine: "/healthz?strict=true", "auth-sidecar": "/readyz" };
const port = 8080;

export function healthDetail(response: string): string | undefined {
  const [head = "", body = ""] = response.split("\r\n\r\n", 2);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === undefined || status.startsWith("2")) return undefined;
  if (/inconsistent/i.test(body)) return "its metadata is inconsistent";
  const parts = [...body.matchAll(/"([a-z-]+)": ?"down"/g)].map(([, part]) => part);
  if (parts.length > 0) return `it cannot use ${parts.join(", ")}`;
  return body.trim() === "ERROR" ? "the database does not answer it" : `its health check answers ${status}`;
}

/** The cause that a service names itself. @param execute runs a program in its container */
export async function askInside(service: string, execute: Execute, signal: AbortSignal): Promise<string | undefined> {
  const path = endpoints[service];
  return path === undefined ? undefined : healthDetail(await getInside(port, path, execute, signal));
}

/** The HTTP response of a port inside a container; empty without one. @param execute runs a program in the container */
export async function getInside(port: number, path: string, execute: Execute, signal: AbortSignal): Promise<string> {
  const said = collectOutput();
  const ends = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
  const request = `GET ${path} HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n`;
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf '${request}' >&3 && timeout 4 cat <&3`;
  const streams = { output: said.stream, errors: said.stream, signal: ends };
  await execute(["bash", "-c", script], streams).catch(() => undefined);
  return said.text();
}

export function collectOutput(): { readonly stream: Writable; readonly text: () => string } {
  let text = "";
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString("utf8");
      done();
    },
  });
  return { stream, text: () => text };
}

/** Milliseconds for a container that does not answer. */
const patience = 5_000;

/** The output of a program in a container of a service; the output so far if it does not end. @param enter as in StackPlace */
export async function printedIn(
  service: string,
  program: readonly string[],
  enter: (service: string) => Promise<Execute>,
  signal: AbortSignal,
): Promise<string> {
  const said = collectOutput();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  const streams = { output: said.stream, errors: said.stream, signal: limit };
  // Neither the search for the container nor the connection to it ends at the signal.
  await unlessAborted(
    enter(service).then((execute) => execute(program, streams)),
    limit,
  ).catch(() => undefined);
  signal.throwIfAborted();
  return said.text();
}
