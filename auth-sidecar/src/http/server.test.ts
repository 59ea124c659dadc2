import { once } from "node:events";
import { connect } from "node:net";
import { errorCodes } from "@routeql/contract/error-codes";
import { expect, test } from "vitest";
import { stopServer } from "@routeql/contract/stop-server";
import { createHttpServer, listen } from "./server.ts";

/** The answer to a client that sends this and then nothing more. */
async function answerTo(text: string): Promise<string> {
  const server = createHttpServer((request) => request.resume(), {
    headersTimeout: 50,
    requestTimeout: 50,
    connectionsCheckingInterval: 10,
  });
  const port = await listen(server, 0, "127.0.0.1");
  try {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => void (answer += chunk.toString()));
    socket.write(text);
    await once(socket, "close");
    return answer;
  } finally {
    await stopServer(server, 0);
  }
}

test.each([
  ["head", "POST /jwt/auth HTTP/1.1\r\nHost: a\r\nContent-"],
  ["body", "POST /jwt/auth HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345"],
])("a request whose %s never ends is answered 408 in the form of all errors", async (_part, text) => {
  const [head = "", body = ""] = (await answerTo(text)).split("\r\n\r\n");
  expect(head.split("\r\n")).toEqual(
    expect.arrayContaining([
      "HTTP/1.1 408 Request Timeout",
      "Content-Type: application/json; charset=utf-8",
      "Connection: close",
    ]),
  );
  expect(JSON.parse(body)).toEqual({ error: errorCodes["request-timeout"].sentence, code: "request-timeout" });
});
