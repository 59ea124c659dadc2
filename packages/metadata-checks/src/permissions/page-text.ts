/** Text for HTML, with its special characters escaped. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Text for HTML in which names stand between backticks. */
export const marked = (words: string): string => escaped(words).replaceAll(/`([^`]*)`/g, "<code>$1</code>");
