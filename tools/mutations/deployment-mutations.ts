import type { Mutation } from "./mutation.ts";

const services = ["infra/services/all.test.ts"];
const docker = ["infra/targets/docker/run.test.ts"];
const suite = "unit";

/** What the deployment promises about containers, networks and the gateway. */
export const deploymentMutations: readonly Mutation[] = [
  {
    fault: "an added call edge: the gateway reaches the database",
    file: "infra/services/gateway.ts",
    edits: [{ from: 'calls: ["engine", "auth-sidecar"]', to: 'calls: ["engine", "auth-sidecar", "database"]' }],
    suite,
    tests: services,
    noticedBy: "who calls whom",
  },
  {
    fault: "a dropped network edge: the engine no longer reaches the sidecar's keys",
    file: "infra/services/embedded-engine.ts",
    edits: [{ from: 'calls: ["database", "auth-sidecar"]', to: 'calls: ["database"]' }],
    suite,
    tests: services,
    noticedBy: "who calls whom",
  },
  {
    fault: "the networks between parts have a way out",
    file: "infra/targets/docker/networks.ts",
    edits: [{ from: 'network(edge.join("-"), true)', to: 'network(edge.join("-"), false)' }],
    suite,
    tests: docker,
    noticedBy: "there is an internal network for each call edge",
  },
  {
    fault: "containers may write to their own file system",
    file: "infra/targets/docker/container.ts",
    edits: [{ from: "    readOnly: true,\n    capabilities", to: "    readOnly: false,\n    capabilities" }],
    suite,
    tests: docker,
    noticedBy: "a service's root is read-only",
  },
  {
    fault: "containers keep Docker's capabilities",
    file: "infra/targets/docker/container.ts",
    edits: [{ from: 'capabilities: { drops: ["ALL"] }', to: "capabilities: { drops: [] }" }],
    suite,
    tests: docker,
    noticedBy: "without capabilities",
  },
  {
    fault: "a secret is delivered through the environment, in clear",
    file: "infra/targets/docker/container.ts",
    edits: [{ from: "[name, secretPath(secret)] as const", to: "[name, `in clear: ${secret}`] as const" }],
    suite,
    tests: docker,
    noticedBy: "the environment has the path of a secret",
  },
  {
    fault: "a dropped health check: the session store counts as ready when it is not",
    file: "infra/services/sessions.ts",
    edits: [{ from: '    health: { kind: "command", command: ["healthy"] },\n', to: "" }],
    suite,
    tests: services,
    noticedBy: "services have a health check",
  },
  {
    fault: "the session store runs as root",
    file: "infra/services/sessions.ts",
    edits: [{ from: "user: 10_104,", to: "user: 0," }],
    suite,
    tests: services,
    noticedBy: "none is root",
  },
  {
    fault: "the engine's port is published beside the gateway's",
    file: "infra/services/embedded-engine.ts",
    edits: [{ from: "    ports: [],\n", to: "    ports: [{ internal: 8080, published: 8081 }],\n" }],
    suite,
    tests: services,
    noticedBy: "exactly the gateway publishes ports",
  },
  {
    fault: "an unpinned image: the official base of the Node images floats",
    file: "infra/settings/list.ts",
    edits: [{ from: 'default: "node:24.21.0-trixie-slim"', to: 'default: "node:latest"' }],
    suite,
    tests: ["infra/settings/pinned-images.test.ts"],
    noticedBy: "names a version",
  },
  {
    fault: "a removed header: browsers may frame and sniff what the gateway sends",
    file: "nginx/reply-headers.conf",
    edits: [{ from: "add_header X-Frame-Options           DENY                       always;\n", to: "" }],
    suite: "gateway",
    tests: ["tests/gateway/headers.test.ts"],
    noticedBy: "a reply carries the security headers once each",
  },
  {
    fault: "a client's X-Hasura-Role reaches the engine",
    file: "nginx/proxy-engine.conf",
    edits: [{ from: "X-Hasura-Admin-Secret $http_x_engine_access_key;\n", to: "X-Hasura-Admin-Secret $http_x_engine_access_key;\nproxy_set_header X-Hasura-Role $http_x_hasura_role;\n" }],
    suite: "gateway",
    tests: ["tests/gateway/headers.test.ts"],
    noticedBy: "the engine receives exactly the listed headers",
  },
  {
    fault: "a disabled limit: one address may guess passwords as fast as it likes",
    file: "nginx/settings-file.ts",
    edits: [{ from: 'limit_req zone=logins${logins > 1 ? ` burst=${logins - 1} nodelay` : ""};\n', to: "" }],
    suite: "gateway",
    tests: ["tests/gateway/limits.test.ts"],
    noticedBy: "logins of all three kinds share one stricter limit",
  },
  {
    fault: "a broken TLS version is offered again",
    file: "nginx/tls.conf",
    edits: [
      { from: "ssl_protocols             TLSv1.2 TLSv1.3;", to: "ssl_protocols             TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;" },
      { from: "ECDHE-RSA-CHACHA20-POLY1305;", to: "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0;" },
    ],
    suite: "gateway",
    tests: ["tests/gateway/tls.test.ts"],
    noticedBy: "TLS",
  },
];
