/**
 * Whether an HTTPS address answers well within the time; no redirect is followed, since the answer itself is what is asked for.
 */
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
