import { createClient } from "graphql-ws";
import { createSession, passwordLogin, pause } from "./session.mjs";

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
    closed: ({ code, reason }) => {
      // After 1000 no query is left.
      if (code !== 1000) status.textContent = `connecting again after ${code} ${reason}`;
    },
  });
  const query =
    "subscription { view_bgpupdates(limit: 10, order_by: {timestamp: desc}) { timestamp prefix origin_as } }";
  let failures = 0;
  const subscribe = () =>
    client.subscribe(
      { query },
      {
        next: ({ data, errors }) => {
          // Without its database the server sends an error, and rows later.
          status.textContent = errors ? errors[0].message : "live";
          if (!data) return;
          failures = 0;
          show(data.view_bgpupdates);
        },
        error: async (error) => {
          // The rows on the page are old: the server has too much work now, or it refused the login or the query.
          const isBusy = error[0]?.extensions?.code === "busy";
          status.textContent = `${isBusy ? "trying again" : "ended"}: ${error.message ?? error[0]?.message}`;
          form.hidden = isBusy;
          if (!isBusy) return;
          await pause(failures++, 1);
          subscribe();
        },
        complete: () => undefined,
      },
    );
  subscribe();
}

function show(updates) {
  const items = updates.map(({ timestamp, prefix, origin_as }) => {
    const item = document.createElement("li");
    item.textContent = `${timestamp} ${prefix} AS${origin_as}`;
    return item;
  });
  document.querySelector("#updates").replaceChildren(...items);
}
