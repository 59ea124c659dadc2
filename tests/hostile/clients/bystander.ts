/** Sends the small query of `bystander.json` ten times a second, and prints the time, duration and status of each reply. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";

interface Bystander {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly query: string;
}

const { host, port, token, query } = JSON.parse(
  await readFile(new URL("bystander.json", import.meta.url), "utf8"),
) as Bystander;
const body = JSON.stringify({ query });
// Fewer than the connections of one address: a long delay counts as a delay, not as the client's own flood.
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 50 });

async function ask(): Promise<string> {
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${token}`,
    "content-length": body.length,
  };
  const asked = request({ host, port, agent, method: "POST", path: "/api/graphql", headers });
  asked.end(body);
  const [response] = await once(asked, "response");
  let text = "";
  for await (const part of response) text += part;
  return text.startsWith('{"data":') ? "data" : `${response.statusCode} ${text.slice(0, 100)}`;
}

setInterval(() => {
  const [at, begin] = [Date.now(), performance.now()];
  void ask()
    .catch((error: unknown) => String(error))
    .then((outcome) => console.log(`${at} ${(performance.now() - begin).toFixed(1)} ${outcome}`));
}, 100);
