/** Why a file could not be opened or read, in words; undefined when something else failed. */
export function unreadable(error: unknown): string | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== "open" && syscall !== "read") return undefined;
  // A connection that breaks says "read" as well.
  if (code === "ECONNRESET" || code === "ETIMEDOUT") return undefined;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a directory";
  return code === "EACCES" ? "it may not be read" : message;
}
