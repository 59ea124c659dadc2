import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

/** Paints a text, or leaves it as it is where colours are not wanted. */
export type Paint = (style: Style, text: string) => string;

export function painter(colours: boolean): Paint {
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}
