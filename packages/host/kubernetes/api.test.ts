import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { ApiClient, ApiError, authorize, configOf, defaultConfig, orUndefined, warningsIn } from "./client.ts";

describe("files of KUBECONFIG", () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-kubeconfig-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => void vi.unstubAllEnvs());
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  /** As k3s writes it: every cluster has the same names. */
  const k3s = (port: number, current = "default"): string => `apiVersion: v1
clusters: [{ name: default, cluster: { server: "https://127.0.0.1:${port}" } }]
users: [{ name: default, user: { token: t${port} } }]
contexts: [{ name: default, context: { cluster: default, user: default } }]
current-context: "${current}"
`;
  const one = file("one", k3s(6443));
  const other = file("other", k3s(7443));

  test.each([
    ["one", [one]],
    ["a missing file before it", [join(folder, "missing"), one]],
    ["a missing file after it", [one, join(folder, "missing")]],
    ["an empty file", [file("empty", ""), one]],
    ["comments only", [file("comments", "# later\n---\n"), one]],
    ["no name before a colon", ["", one]],
    ["equal names in a later file", [one, other]],
    ["no current context in the first file", [file("none", k3s(6443, "")), other]],
  ])("join as kubectl joins them: %s", (_, files) => {
    vi.stubEnv("KUBECONFIG", files.join(":"));
    const config = defaultConfig();
    expect(config.getCurrentContext()).toBe("default");
    expect(config.getCurrentCluster()?.server).toBe("https://127.0.0.1:6443");
    expect(config.getCurrentUser()?.token).toBe("t6443");
  });

  test("have certificates at paths relative to the file", () => {
    const relative = file(
      "relative",
      `clusters: [{ name: c, cluster: { server: "https://127.0.0.1:6443", certificate-authority: ca.crt } }]
users: [{ name: ada, user: { client-certificate: pki/ada.crt, client-key: /etc/ada.key } }]
contexts: [{ name: x, context: { cluster: c, user: ada } }]
current-context: x
`,
    );
    vi.stubEnv("KUBECONFIG", relative);
    const config = defaultConfig();
    expect(config.getCurrentCluster()?.caFile).toBe(join(folder, "ca.crt"));
    expect(config.getCurrentUser()).toMatchObject({ certFile: join(folder, "pki/ada.crt"), keyFile: "/etc/ada.key" });
  });

  test("have the token of a file, whose path is relative to theirs", async () => {
    file("token", "t1\n");
    const named = (path: string): string => k3s(6443).replace("{ token: t6443 }", `{ tokenFile: ${path} }`);
    for (const given of [file("named", named("token")), named(join(folder, "token"))]) {
      const options = { headers: {} };
      await authorize(configOf(given, undefined), options);
      expect(options.headers).toEqual({ Authorization: "Bearer t1" });
    }
    const lost = configOf(file("lost", named("gone")), undefined);
    await expect(authorize(lost, { headers: {} })).rejects.toThrow(`user default failed: ENOENT: no such file`);
  });

  test("are named if they are UTF-16, as Windows PowerShell writes them", () => {
    const path = join(folder, "utf16");
    writeFileSync(path, Buffer.from(`\uFEFF${k3s(6443)}`, "utf16le"));
    expect(() => configOf(path, undefined)).toThrow(`${path} is UTF-16. Save it as UTF-8`);
  });

  test("need the user of the context, without which each request is anonymous", () => {
    const text = k3s(6443).replace("user: default", "user: gone");
    expect(() => new ApiClient(configOf(text, undefined))).toThrow("context default has the user gone, which the file");
  });

  test("are read once, so that a pipe can be one", () => {
    const program = `const { defaultConfig } = await import(${JSON.stringify(import.meta.resolve("./client.ts"))});
      console.log(defaultConfig().getCurrentUser()?.token);`;
    const command = 'cat "$0" | KUBECONFIG=/dev/stdin "$1" --input-type=module --eval "$2"';
    const words = ["-c", command, one, process.execPath, program];
    expect(execFileSync("sh", words, { encoding: "utf8" })).toBe("t6443\n");
  });

  test("are named without an excerpt if one cannot be read, because it may have a token", () => {
    const damaged = file("damaged", k3s(6443).replace("current-context", "  token: t6443\n current-context"));
    const message = /^\S+damaged is not a readable kubeconfig: [^\n]*$/;
    vi.stubEnv("KUBECONFIG", damaged);
    expect(() => defaultConfig()).toThrow(message);
    expect(() => configOf(damaged, undefined)).toThrow(message);
    expect(() => configOf(readFileSync(damaged, "utf8"), undefined)).toThrow(
      /^the configured kubeconfig is not a readable kubeconfig: [^\n]*$/,
    );
  });

  test("are named if none exists", () => {
    vi.stubEnv("KUBECONFIG", `${folder}/a:${folder}/b`);
    expect(() => defaultConfig()).toThrow(`KUBECONFIG names no existing file: ${folder}/a, ${folder}/b`);
  });
});

describe("a login that fails", () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-login-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const plugin = (name: string, script: string): string => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return `{ exec: { apiVersion: client.authentication.k8s.io/v1, command: "${join(folder, name)}" } }`;
  };
  const asked = (user: string, server = "https://127.0.0.1:1"): Promise<unknown> =>
    Promise.try(() => {
      const text = `clusters: [{ name: c, cluster: { server: "${server}" } }]
users: [{ name: ada, user: ${user} }]
contexts: [{ name: x, context: { cluster: c, user: ada } }]
current-context: x
`;
      return new ApiClient(configOf(text, undefined)).json({ method: "GET", path: "/version" });
    });

  test.each([
    ["a missing plugin", '{ exec: { command: "no-such-plugin" } }', "plugin no-such-plugin .*user ada failed: spawn"],
    ["a message", plugin("one", "echo login expired >&2; exit 3"), "user ada failed: login expired$"],
    ["no credentials", plugin("none", "echo '{}'"), "user ada failed: it prints no credentials$"],
    ["no message", plugin("two", "exit 3"), "user ada failed: it gives no reason$"],
    ["another answer", plugin("three", "echo word eyJTT0tFTg"), "user ada failed: it does not print JSON$"],
    [
      "a former provider",
      "{ auth-provider: { name: gcp } }",
      "user ada has an auth-provider, which kubectl no longer has",
    ],
    ["a missing certificate", "{ client-certificate: /gone.crt }", "the login of .*user ada failed: ENOENT"],
  ])("names its source: %s", async (_, user, message) => {
    await expect(asked(user)).rejects.toThrow(new RegExp(message));
  });

  test("names a server that is no address", async () => {
    await expect(asked("{ token: t }", "127.0.0.1:6443")).rejects.toThrow(
      "cluster c has the server 127.0.0.1:6443, which",
    );
  });
});

test("splits warnings and removes their quotes", () => {
  expect(warningsIn('299 - "one \\"quoted\\"", 299 - "two, with a comma"')).toEqual([
    'one "quoted"',
    "two, with a comma",
  ]);
  expect(warningsIn("")).toEqual([]);
});

const status = (code: number, message: string, causes: object[] = []): ApiError =>
  new ApiError(code, JSON.stringify({ kind: "Status", message, reason: "Invalid", details: { causes } }));

test("reads immutable fields from the error message", () => {
  const causes = [
    { field: "spec.selector", message: "Invalid value: field is immutable" },
    { field: "spec.x", message: "Required value" },
  ];
  expect(status(422, "invalid", causes).immutableFields).toEqual(["spec.selector"]);
  expect(
    status(422, "updates to statefulset spec for fields other than 'replicas' are forbidden").immutableFields,
  ).toEqual(["spec"]);
  expect(status(422, "Required value").immutableFields).toEqual([]);
  expect(status(409, "field is immutable").immutableFields).toEqual([]);
});

test("only a missing object is undefined", async () => {
  await expect(orUndefined(Promise.reject(status(404, "no such thing")))).resolves.toBeUndefined();
  await expect(orUndefined(Promise.reject(status(403, "you must not")))).rejects.toThrow("you must not");
});

async function withServer<T>(
  answer: { code: number; body: string; headers?: Record<string, string> },
  work: (config: KubeConfig) => Promise<T>,
): Promise<T> {
  const server = createServer((_request, response) => response.writeHead(answer.code, answer.headers).end(answer.body));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "c", server: `http://127.0.0.1:${(server.address() as { port: number }).port}`, skipTLSVerify: true },
    { name: "u" },
  );
  try {
    return await work(config);
  } finally {
    server.close();
  }
}

test("parses a reply and reports its warnings; an error has the server's message", async () => {
  const warnings: string[] = [];
  const answer = { code: 200, body: '{"a":1}', headers: { warning: '299 - "old API"' } };
  const value = await withServer(answer, (config) =>
    new ApiClient(config, (text) => warnings.push(text)).json({ method: "GET", path: "/x" }),
  );
  expect(value).toEqual({ a: 1 });
  expect(warnings).toEqual(["old API"]);
  await expect(
    withServer({ code: 403, body: '{"message":"you must not"}' }, (config) =>
      new ApiClient(config).json({ method: "GET", path: "/x" }),
    ),
  ).rejects.toMatchObject({ code: 403, message: "you must not" });
});

test.each(["POST", "PATCH", "DELETE"] as const)("the body of a %s arrives", async (method) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString())).on("end", () => resolve(text));
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "c", server: `http://127.0.0.1:${(server.address() as { port: number }).port}`, skipTLSVerify: true },
    { name: "u" },
  );
  await new ApiClient(config).json({ method, path: "/x", body: { propagationPolicy: "Foreground" } });
  expect(JSON.parse(await promise)).toEqual({ propagationPolicy: "Foreground" });
  server.close();
});

test("names a server that does not answer", async () => {
  const client = await withServer({ code: 200, body: "{}" }, async (config) => new ApiClient(config));
  await expect(client.json({ method: "GET", path: "/x" })).rejects.toThrow(
    /the Kubernetes API server http:\/\/127\.0\.0\.1:\d+ does not answer/,
  );
});

test("without a cluster in the configuration, names the setting", () => {
  expect(() => new ApiClient(new KubeConfig())).toThrow(/no Kubernetes cluster is configured: set KUBECONFIG/);
});
