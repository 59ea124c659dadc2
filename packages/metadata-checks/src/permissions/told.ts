import { UnderivableMetadata } from "@routeql/metadata/declared/permission";

/** The text of a filter, or the reason why it cannot be read. */
export function told(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnderivableMetadata) return `cannot be read: ${error.message}`;
    throw error;
  }
}
