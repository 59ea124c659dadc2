"use strict";

// Through the gateway the API is at /api/graphql; the engine itself serves this page at /console and the API at /v1/graphql.
const endpoint = location.pathname === "/console" ? "/v1/graphql" : "/api/graphql";
const historyName = "routeql.history";
const historyLength = 20;

const example = `query LatestUpdates {
  view_bgpupdates(limit: 10, order_by: {timestamp: desc}) {
    timestamp
    type
    prefix
    origin_as
    as_path
    service
  }
}
`;

const introspection = `query {
  __schema {
    queryType { name }
    subscriptionType { name }
    types {
      kind name description
      fields { name description args { name type { ...T } } type { ...T } }
      inputFields { name type { ...T } }
      enumValues { name }
    }
  }
}
fragment T on __Type { kind name ofType { ...U } }
fragment U on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }`;

const element = (id) => document.getElementById(id);
// Nowhere else: storage would outlive the page.
let key = "";
let running;

class Refused extends Error {}

/** Sends one request; resolves with the reply's text and its parsed form. */
async function send(body, { role, signal } = {}) {
  const headers = { "content-type": "application/json", "x-engine-access-key": key };
  if (role) headers["x-hasura-role"] = role;
  let response;
  try {
    response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(body), signal, credentials: "omit" });
  } catch {
    throw new Error("The server cannot be reached.");
  }
  const text = await response.text();
  let reply;
  try {
    reply = JSON.parse(text);
  } catch {
    throw new Error(`The server answered with status ${response.status}, and not with JSON.`);
  }
  const code = reply.errors?.[0]?.extensions?.code ?? reply.code;
  if (response.status === 401 || code === "access-denied") throw new Refused(reply.errors?.[0]?.message ?? reply.error);
  if (!response.ok)
    throw new Error(reply.errors?.[0]?.message ?? reply.error ?? `The server answered with status ${response.status}.`);
  return { reply, text };
}

async function unlock() {
  try {
    await send({ query: "{ __typename }" });
  } catch (error) {
    key = "";
    element("error").textContent = error instanceof Refused ? "Wrong master key: the server refused it." : error.message;
    show(false);
    element("master-key").select();
    return;
  }
  element("error").textContent = "";
  element("master-key").value = "";
  show(true);
  element("query").focus();
  await loadSchema();
}

function show(isUnlocked) {
  element("gate").hidden = isUnlocked;
  element("workbench").hidden = !isUnlocked;
  element("lock").hidden = !isUnlocked;
  element("status").textContent = isUnlocked ? `Connected to ${location.host}` : "";
  if (!isUnlocked) element("master-key").focus();
}

function lock() {
  running?.abort();
  key = "";
  element("result").replaceChildren();
  element("schema").replaceChildren();
  element("error").textContent = "";
  element("timing").textContent = "";
  show(false);
}

async function run() {
  element("error").textContent = "";
  let variables;
  try {
    const text = element("variables").value.trim();
    variables = text === "" ? undefined : JSON.parse(text);
  } catch (error) {
    element("error").textContent = `The variables are not valid JSON: ${error.message}`;
    return;
  }
  running?.abort();
  const controller = new AbortController();
  running = controller;
  element("run").disabled = true;
  element("timing").textContent = "running …";
  const start = performance.now();
  try {
    const query = element("query").value;
    const role = element("role").value.trim();
    const { reply, text } = await send({ query, variables }, { role, signal: controller.signal });
    element("timing").textContent = `${Math.round(performance.now() - start)} ms, ${text.length.toLocaleString("en")} characters`;
    element("result").replaceChildren(...highlight(pretty(text)));
    element("error").textContent = (reply.errors ?? [])
      .map((error) => `${error.extensions?.code ?? "error"}: ${error.message}`)
      .join("\n");
    remember(query, element("variables").value);
  } catch (error) {
    if (controller.signal.aborted) return;
    element("timing").textContent = "";
    element("result").replaceChildren();
    element("error").textContent = error instanceof Refused ? `The server refused the request: ${error.message}` : error.message;
  } finally {
    if (running === controller) element("run").disabled = false;
  }
}

/** Indents JSON without parsing it: numbers beyond 2^53 stay as the server wrote them. */
function pretty(text) {
  let out = "";
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === "{" || token === "[") out += `${token}\n${"  ".repeat(++depth)}`;
    else if (token === "}" || token === "]")
      out = `${out.trimEnd()}${/[{[]$/.test(out.trimEnd()) ? "" : `\n${"  ".repeat(depth - 1)}`}${token}`;
    else if (token === ",") out += `,\n${"  ".repeat(depth)}`;
    else out += token === ":" ? ": " : token;
    if (token === "}" || token === "]") depth -= 1;
  }
  return out;
}

/** Coloured text nodes; answers of more than 200,000 characters stay plain. */
function highlight(text) {
  if (text.length > 200_000) return [text];
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b/g)) {
    const span = document.createElement("span");
    span.className = match[2] ? "key" : match[1] ? "string" : "number";
    span.textContent = match[1] ?? match[0];
    nodes.push(text.slice(end, match.index), span);
    end = match.index + span.textContent.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

function typeName(type) {
  if (!type) return "…";
  if (type.kind === "NON_NULL") return `${typeName(type.ofType)}!`;
  if (type.kind === "LIST") return `[${typeName(type.ofType)}]`;
  return type.name ?? "…";
}

async function loadSchema() {
  try {
    const { reply } = await send({ query: introspection });
    if (reply.data === undefined) throw new Error(reply.errors[0].message);
    element("schema").replaceChildren(...schemaSections(reply.data.__schema));
  } catch (error) {
    element("schema").textContent = `The schema could not be read: ${error.message}`;
  }
}

function schemaSections(schema) {
  const roots = new Set([schema.queryType?.name, schema.subscriptionType?.name]);
  const named = (name) => schema.types.find((type) => type.name === name);
  const others = schema.types.filter((type) => !roots.has(type.name) && !type.name.startsWith("__") && type.kind !== "SCALAR");
  return [
    ...section("Queries", (named(schema.queryType?.name)?.fields ?? []).map(fieldEntry)),
    ...section("Subscriptions", (named(schema.subscriptionType?.name)?.fields ?? []).map(fieldEntry)),
    ...section("Types", others.toSorted((left, right) => left.name.localeCompare(right.name)).map(typeEntry)),
  ];
}

function section(title, entries) {
  if (entries.length === 0) return [];
  const heading = document.createElement("h3");
  heading.textContent = title;
  return [heading, ...entries];
}

function fieldEntry(field) {
  const lines = field.args.map((arg) => `${arg.name}: ${typeName(arg.type)}`);
  return entry(field.name, field.description, [...lines, `→ ${typeName(field.type)}`]);
}

function typeEntry(type) {
  const members = type.fields ?? type.inputFields ?? type.enumValues ?? [];
  return entry(
    type.name,
    type.description,
    members.map((member) => (member.type ? `${member.name}: ${typeName(member.type)}` : member.name)),
  );
}

function entry(title, description, lines) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.className = "field";
  summary.textContent = title;
  if (description) summary.title = description;
  const list = document.createElement("ul");
  for (const line of lines) {
    const item = document.createElement("li");
    item.textContent = line;
    list.append(item);
  }
  details.append(summary, list);
  return details;
}

function filterSchema() {
  const wanted = element("filter").value.trim().toLowerCase();
  for (const details of element("schema").querySelectorAll("details")) {
    details.hidden = wanted !== "" && !details.textContent.toLowerCase().includes(wanted);
  }
}

function history() {
  try {
    return JSON.parse(sessionStorage.getItem(historyName) ?? "[]");
  } catch {
    return [];
  }
}

function remember(query, variables) {
  const others = history().filter((past) => past.query !== query || past.variables !== variables);
  sessionStorage.setItem(historyName, JSON.stringify([{ query, variables }, ...others].slice(0, historyLength)));
  showHistory();
}

function showHistory() {
  const options = history().map(
    ({ query }, index) => new Option(query.replaceAll(/\s+/g, " ").trim().slice(0, 80), String(index)),
  );
  element("history").replaceChildren(new Option(options.length === 0 ? "nothing yet" : "choose …", ""), ...options);
}

element("gate-form").addEventListener("submit", (event) => {
  event.preventDefault();
  key = element("master-key").value;
  void unlock();
});
element("lock").addEventListener("click", lock);
element("run").addEventListener("click", () => void run());
element("filter").addEventListener("input", filterSchema);
element("history").addEventListener("change", (event) => {
  const past = history()[Number(event.target.value)];
  if (event.target.value === "" || past === undefined) return;
  element("query").value = past.query;
  element("variables").value = past.variables;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || element("workbench").hidden) return;
  event.preventDefault();
  void run();
});

// The gateway passes no role on: the master key always acts as admin there.
element("role-choice").hidden = endpoint !== "/v1/graphql";
element("query").value = example;
showHistory();
show(false);
