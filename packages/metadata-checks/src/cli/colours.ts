import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

/** Colours a text, or returns it unchanged without colours. */
export type Paint = (style: Style, text: string) => string;

export function painter(colours: boolean): Paint {
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}
