import { UnderivableMetadata } from "@routeql/metadata/declared/underivable";

/** What a filter says, or why it cannot be read. */
export function told(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnderivableMetadata) return `cannot be told: ${error.message}`;
    throw error;
  }
}
