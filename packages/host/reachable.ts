import { Failure } from "./failure.ts";
import { proxyProblem } from "./proxy.mjs";

/** Download sites, for {@link requireProxies}: each uses the proxy of its protocol. */
export const downloadSites = {
  debian: "http://deb.debian.org/",
  npm: process.env["npm_config_registry"] || "https://registry.npmjs.org/",
  go: (process.env["GOPROXY"] ?? "").split(/[,|]/).find((part) => /^https?:/.test(part)) ?? "https://proxy.golang.org/",
} as const;

const asked = new Map<string, ReturnType<typeof proxyProblem>>();

/** Asks the proxies for these addresses before a download, once per process. @throws Failure naming the variable of a silent proxy */
export async function requireProxies(...urls: readonly string[]): Promise<void> {
  const problems = urls.map((url) => {
    const answer = asked.get(url) ?? proxyProblem(url);
    asked.set(url, answer);
    return answer;
  });
  const problem = (await Promise.all(problems)).find((found) => found !== undefined);
  if (problem !== undefined) throw new Failure(problem.what, { remedy: problem.remedy });
}

/** Whether an HTTPS address answers successfully within the time limit. Redirects are not followed, because the reply itself is the result. */
export async function answers(url: string, timeoutMilliseconds: number, signal?: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.timeout(timeoutMilliseconds);
  try {
    const response = await fetch(url, {
      method: "HEAD",
      redirect: "manual",
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    });
    await response.body?.cancel();
    return response.status < 400;
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}
