import type { ServiceDescription } from "../description/service.ts";

/** The session store: Valkey, with an append-only file so that sessions survive a restart. */
export function describeSessions(): ServiceDescription {
  return {
    name: "sessions",
    run: "service",
    image: "sessions",
    user: 10_104,
    environment: {},
    secrets: { VALKEY_LOGIN_FILE: "sessions-login", VALKEY_MONITOR_PASSWORD_FILE: "sessions-monitor-password" },
    files: {},
    // The health check loads them (images/sessions/healthy.sh).
    liveFiles: ["secrets/sessions-login", "secrets/sessions-monitor-password"],
    data: "/data",
    temporary: { "/tmp": 1 },
    ports: [],
    listens: [{ name: "redis", port: 6379 }],
    health: { kind: "command", command: ["healthy"] },
    resources: { memoryMegabytes: 512, cpuMillicores: 50, processes: 256 },
    calls: [],
    after: [],
    graceSeconds: 15,
  };
}
