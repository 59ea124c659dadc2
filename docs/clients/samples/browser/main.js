import { createClient } from "graphql-ws";
import { createSession, passwordLogin } from "./session.mjs";

// The address of the API, which is another origin than this page's. Its setting CORS_ORIGINS must list this page's origin.
const api = import.meta.env.VITE_ROUTEQL_URL ?? "https://localhost";
const form = document.querySelector("#login");
const status = document.querySelector("#status");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void start();
});

async function start() {
  const { username, password } = Object.fromEntries(new FormData(form));
  const logIn = passwordLogin(api, username, password);
  try {
    follow(createSession(logIn, await logIn()));
    form.hidden = true;
  } catch (error) {
    status.textContent = error.message;
  }
}

function follow(session) {
  const client = session.connect(createClient, `${api.replace(/^http/, "ws")}/api/graphql`, {
    connected: () => (status.textContent = "live"),
    closed: ({ code, reason }) => (status.textContent = `connecting again after ${code} ${reason}`),
  });
  client.subscribe(
    {
      query: "subscription { view_bgpupdates(limit: 10, order_by: {timestamp: desc}) { timestamp prefix origin_as } }",
    },
    {
      next: ({ data, errors }) => (errors ? (status.textContent = errors[0].message) : show(data.view_bgpupdates)),
      error: (error) => {
        // The server refused the login or the query: the rows on the page are old.
        status.textContent = `ended: ${error.message ?? error[0]?.message}`;
        form.hidden = false;
      },
      complete: () => undefined,
    },
  );
}

function show(updates) {
  const items = updates.map(({ timestamp, prefix, origin_as }) => {
    const item = document.createElement("li");
    item.textContent = `${timestamp} ${prefix} AS${origin_as}`;
    return item;
  });
  document.querySelector("#updates").replaceChildren(...items);
}
