/** A wrong call, or a failure to run: exit code 2, and only the message on standard error. */
export class UsageError extends Error {}

/** Edit distance by insertion, removal, replacement or the swap of adjacent letters. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_row, index) => [
    index,
    ...Array.from({ length: other.length }, () => 0),
  ]);
  for (let column = 0; column <= other.length; column += 1) (rows[0] ?? [])[column] = column;
  for (let i = 1; i <= one.length; i += 1) {
    for (let j = 1; j <= other.length; j += 1) {
      const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1);
      (rows[i] ?? [])[j] = least;
    }
  }
  return rows[one.length]?.[other.length] ?? 0;
}

/** The most similar known name; undefined if none is similar. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const most = name.length < 5 ? 1 : Math.max(2, Math.floor(name.length / 5));
  const ranked = [...known]
    .map((candidate) => ({ candidate, far: distance(name, candidate) }))
    .filter(({ far }) => far > 0 && far <= most);
  return ranked.toSorted((one, other) => one.far - other.far)[0]?.candidate;
}
