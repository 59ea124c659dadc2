/** The reason why a file could not be opened or read; undefined for other errors. */
export function unreadable(error: unknown): string | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== "open" && syscall !== "read") return undefined;
  // The error of a broken connection also has the syscall "read".
  if (code === "ECONNRESET" || code === "ETIMEDOUT") return undefined;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a directory";
  return code === "EACCES" ? "it may not be read" : message;
}
