/** Settings that may name an image of Docker Hub. */
export const mirroredSettings = ["hasuraImage", "databaseImage", "sessionsImage", "gatewayImage", "debianBase", "nodeBase"] as const;

/** Images of this project exist on this machine only. */
const ownPrefix = "routeql/";

/**
 * The name of an image in the mirror of Docker Hub. Docker Hub keeps official images in `library/`.
 *
 * @example throughMirror("postgres:17.12", "registry.example.net/hub") // registry.example.net/hub/library/postgres:17.12
 */
export function throughMirror(image: string, mirror: string | undefined): string {
  if (mirror === undefined || image.startsWith(ownPrefix)) return image;
  const prefix = mirror.replace(/\/+$/, "");
  const [first = "", ...rest] = image.split("/");
  if (rest.length === 0) return `${prefix}/library/${image}`;
  const namesRegistry = /[.:]/.test(first) || first === "localhost";
  return namesRegistry ? image : `${prefix}/${image}`;
}
