import type { IncomingMessage } from "node:http";
import { EngineError } from "../errors.ts";
import { parseExactJson } from "../exact-json.ts";

/** The request's body. @throws EngineError `bad-request`: too large (413), unsupported encoding (415), or cut off (400) */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    return Promise.reject(refused(415, "compressed request bodies are not supported"));
  }
  const tooLarge = (): EngineError => refused(413, `the request body is larger than ${String(limit)} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.reject(tooLarge());
  const endedEarly = (): EngineError => refused(400, "the request body ended early");
  // The client left while its token was verified: no further event follows.
  if (request.destroyed && !request.complete) return Promise.reject(endedEarly());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.on("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.on("error", reject);
    request.on("close", () => {
      if (!request.complete) reject(endedEarly());
    });
  });
}

function refused(status: number, message: string): EngineError {
  return new EngineError({ code: "bad-request", status, message });
}

/** The request's body as JSON. @throws EngineError */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  return parseJson(await readBody(request, limit));
}

/** @throws EngineError */
export function parseJson(body: Buffer): unknown {
  try {
    return parseExactJson(body.toString("utf8"));
  } catch {
    throw new EngineError({ code: "invalid-json", message: "the request body is not valid JSON" });
  }
}
