/** One figure of the bench: always a ratio of two things that were measured in the same run. */
export interface Figure {
  readonly name: string
  readonly ratio: number
  /** The bar, when there is one, and on which side of it a good figure lies. */
  readonly bar?: { readonly limit: number; readonly good: 'at most' | 'at least' }
  /** What the ratio was made of, for a reader who wants to know. */
  readonly detail: string
}

export function holds({ ratio, bar }: Figure): boolean {
  if (!bar) return true
  return bar.good === 'at most' ? ratio <= bar.limit : ratio >= bar.limit
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    holds(figure) ? 'ok' : 'MISSED',
    figure.name,
    figure.ratio.toFixed(2),
    figure.bar ? `${figure.bar.good} ${figure.bar.limit}` : '',
    figure.detail,
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 2 ? cell.padStart(widths[2] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
