import { createClient } from "graphql-ws";

// The address of the API, which is another origin than this page's. Its setting CORS_ORIGINS must list this page's origin.
const api = import.meta.env.VITE_ROUTEQL_URL ?? "https://localhost";
const status = document.querySelector("#status");

document.querySelector("#login").addEventListener("submit", (event) => {
  event.preventDefault();
  const user = Object.fromEntries(new FormData(event.target));
  const client = createClient({
    url: `${api.replace(/^http/, "ws")}/api/graphql`,
    // Called for each connection. The server closes the connection when the token expires; the client reconnects and logs in again.
    connectionParams: async () => ({ headers: { Authorization: `Bearer ${await logIn(user)}` } }),
    retryAttempts: Infinity,
    on: {
      connected: () => (status.textContent = "live"),
      closed: ({ reason }) => (status.textContent = `closed: ${reason}`),
    },
  });
  client.subscribe(
    {
      query: "subscription { view_bgpupdates(limit: 10, order_by: {timestamp: desc}) { timestamp prefix origin_as } }",
    },
    {
      next: ({ data, errors }) => (errors ? (status.textContent = errors[0].message) : show(data.view_bgpupdates)),
      error: (error) => (status.textContent = String(error)),
      complete: () => undefined,
    },
  );
});

async function logIn(user) {
  const response = await fetch(`${api}/jwt/auth`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error);
  return reply.access_token;
}

function show(updates) {
  const items = updates.map(({ timestamp, prefix, origin_as }) => {
    const item = document.createElement("li");
    item.textContent = `${timestamp} ${prefix} AS${origin_as}`;
    return item;
  });
  document.querySelector("#updates").replaceChildren(...items);
}
