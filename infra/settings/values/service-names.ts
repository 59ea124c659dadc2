/** Every service, job and image of a stack, once: descriptions and settings know their names. */
const both = [
  "gateway",
  "front",
  "engine",
  "auth-sidecar",
  "sessions",
  "database",
  "feed",
  "database-exporter",
  "sessions-exporter",
] as const;
const onDockerOnly = ["archive", "disk-exporter", "prometheus", "alertmanager", "grafana"] as const;
const jobs = ["migrate", "apply-metadata"] as const;

export const runningServices = [...both, ...onDockerOnly] as const;
/** Services and jobs that run on Kubernetes. */
export const podServices = [...both, ...jobs] as const;
export const serviceNames = [...runningServices, ...jobs] as const;

/** Folders of images/, `front` (the engine with another executor) and the pulled image of Grafana. */
export const imageNames = [
  "gateway",
  "front",
  "engine",
  "auth-sidecar",
  "sessions",
  "database",
  "database-tools",
  "apply-metadata",
  "feed",
  "monitoring",
  "grafana",
] as const;
