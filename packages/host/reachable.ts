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
