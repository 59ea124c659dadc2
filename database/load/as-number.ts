const LARGEST = 4_294_967_295; // RFC 6793: four octets

/** An AS number in plain decimal notation (RFC 5396), or undefined. */
export function parseAsNumber(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text)) return undefined;
  const number = Number(text);
  return number <= LARGEST ? number : undefined;
}

/** Whether a JSON value is an AS number. */
export function isAsNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LARGEST;
}
