/** The known name that a mistyped one most likely stands for: at most half of the letters differ, or one begins with the other. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const lower = typed.toLowerCase()
  const rated = known.map((name) => ({ name, apart: distance(lower, name.toLowerCase()) }))
  rated.sort((one, other) => one.apart - other.apart)
  const best = rated.find(
    ({ name, apart }) => apart <= Math.max(typed.length, name.length) / 2 || isBeginning(lower, name.toLowerCase()),
  )
  return best?.name
}

function isBeginning(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= 3 && (one.startsWith(other) || other.startsWith(one))
}

/** How many letters to add, drop or change (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const changed = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
