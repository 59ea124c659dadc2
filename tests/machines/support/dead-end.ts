/**
 * Starts a program in a network whose only way out drops every packet. Root only; the machine's own network stays as it is, and the
 * Docker daemon's socket works.
 */
export const throughDeadEnd: readonly string[] = [
  "unshare",
  "--net",
  "sh",
  "-c",
  `ip link set lo up && ip link add out type veth peer name end && ip address add 192.0.2.1/24 dev out && ip link set end up && ip link set out up &&
  ip route add default via 192.0.2.254 && for host in 192.0.2.254 192.0.2.7; do ip neighbour add "$host" lladdr 02:00:00:00:00:01 dev out; done && exec "$@"`,
  "sh",
];

/** A proxy there that never answers. */
export const silentProxy = "http://192.0.2.7:3128";
/** A proxy there that refuses connections. */
export const refusingProxy = "http://127.0.0.1:1";
