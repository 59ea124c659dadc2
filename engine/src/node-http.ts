/** Of node:http. An import of the module itself also loads node's fetch, which takes 6 MB. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
