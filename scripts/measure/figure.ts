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

/** What a section has measured, with a table where ratios do not say enough. */
export interface Measured {
  readonly figures: readonly Figure[]
  readonly table?: Table
}

export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  /** Cells in the order of the columns; those that begin with a digit are set to the right. */
  readonly rows: readonly (readonly string[])[]
}

export function figureLines(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    holds(figure) ? 'ok' : 'MISSED',
    figure.name,
    figure.ratio.toFixed(2),
    figure.bar ? `${figure.bar.good} ${figure.bar.limit}` : '',
    figure.detail,
  ])
  return aligned(rows, (column) => column === 2)
}

export function tableLines({ title, columns, rows }: Table): string {
  const isNumber = (column: number) => rows.every((row) => /^[0-9]/.test(row[column] ?? ''))
  return `${title}\n${aligned([columns, ...rows], isNumber)}`
}

/** The last column is as long as it is. */
function aligned(rows: readonly (readonly string[])[], isRight: (column: number) => boolean): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          isRight(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
