/** A figure: the ratio of two measurements of the same run. */
export interface Figure {
  readonly name: string
  readonly ratio: number
  /** The smallest and the largest of the rounds, if they were measured one by one. */
  readonly range?: readonly [number, number]
  /** The limit, if any, and on which side of it the figure must be. */
  readonly bar?: { readonly limit: number; readonly good: 'at most' | 'at least' }
  /** The measurements behind the ratio. */
  readonly detail: string
}

/** With a range, a bar is missed only if the whole range is on the wrong side. */
export function holds({ ratio, range = [ratio, ratio], bar }: Figure): boolean {
  if (!bar) return true
  return bar.good === 'at most' ? range[0] <= bar.limit : range[1] >= bar.limit
}

/** The result of a section, with a table if ratios are not enough. */
export interface Measured {
  readonly figures: readonly Figure[]
  readonly table?: Table
}

export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  /** Cells in column order; cells that begin with a digit are right-aligned. */
  readonly rows: readonly (readonly string[])[]
}

export function figureLines(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    holds(figure) ? 'ok' : 'MISSED',
    figure.name,
    figure.ratio.toFixed(2),
    figure.range ? `${figure.range[0].toFixed(2)} to ${figure.range[1].toFixed(2)}` : '',
    figure.bar ? `${figure.bar.good} ${figure.bar.limit}` : '',
    figure.detail,
  ])
  return aligned(rows, (column) => column === 2)
}

export function tableLines({ title, columns, rows }: Table): string {
  const isNumber = (column: number) => rows.every((row) => /^[0-9]/.test(row[column] ?? ''))
  return `${title}\n${aligned([columns, ...rows], isNumber)}`
}

/** The last column is not padded. */
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
