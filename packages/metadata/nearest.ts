/** Optimal string alignment distance: insertions, deletions, substitutions, swaps of adjacent letters. */
function distance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const above = rows[row - 1] ?? [];
      let best = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1),
      );
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        best = Math.min(best, (rows[row - 2]?.[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    rows.push(current);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

const letters = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

/** The nearest known name, if at most a third of its characters differ; among equals the one with nearer letters. */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  const ranked = [...known]
    .map((name) => ({
      name,
      steps: distance(written.toLowerCase(), name.toLowerCase()),
      ofLetters: distance(letters(written), letters(name)),
    }))
    .sort((left, right) => left.steps - right.steps || left.ofLetters - right.ofLetters);
  const [best] = ranked;
  return best !== undefined && best.steps <= Math.floor(written.length / 3) ? best.name : undefined;
}
