/** The provider plugins that have a replacement, by the names of their npm packages. */
export const replacedPlugins = ["docker", "random", "tls", "kubernetes"] as const;
