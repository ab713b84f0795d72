/** Formats words with their numbers, four per line. */
export function numbered(words: readonly string[]): string[] {
  const cells = words.map((word, at) => `${String(at + 1).padStart(2)} ${word.padEnd(9)}`)
  return Array.from({ length: Math.ceil(cells.length / 4) }, (_, row) =>
    cells
      .slice(4 * row, 4 * row + 4)
      .join('  ')
      .trimEnd(),
  )
}
