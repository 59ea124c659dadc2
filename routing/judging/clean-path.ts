/**
 * An AS path without prepends and loops: of repeated AS numbers, only the one nearest to the origin stays, and everything between
 * the repetitions is cut out.
 *
 * @param path from the monitor to the origin
 */
export function cleanPath(path: readonly number[]): number[] {
  const cleaned: number[] = [];
  for (const asn of path.toReversed()) {
    const known = cleaned.indexOf(asn);
    if (known < 0) cleaned.push(asn);
    else cleaned.length = known + 1;
  }
  return cleaned.toReversed();
}
