/** Picks words of a sheet that the owner must type from the paper, to confirm that it exists and is readable. */
import { checkCall } from '../arguments/check.ts'
import { wordsIn } from '../backup/words/words.ts'
import type { SuccessorSheet } from './successor-sheet.ts'

const WORDS = 24
/** How many words a person types to show that they wrote the sheet down. */
const ASKED = 2

/** Returns the positions of two different words, counted from 1, in ascending order. Random. */
export function askedPositions(): readonly number[] {
  const positions = Array.from({ length: WORDS }, (_, at) => at + 1)
  const asked = Array.from({ length: ASKED }, () => positions.splice(below(positions.length), 1)[0] ?? 1)
  return asked.toSorted((a, b) => a - b)
}

/** Returns whether these are the words at the positions. Ignores case and white space. */
export function confirmsWords(sheet: SuccessorSheet, positions: readonly number[], typed: readonly string[]): boolean {
  checkCall('confirmsWords', [sheet, positions, typed], ['sheet', 'positions', 'typed'])
  const words = sheet.revealWords().split(' ')
  if (positions.length === 0 || positions.length !== typed.length) return false
  return positions.every((position, at) => words[position - 1] === wordsIn(typed[at] ?? ''))
}

/** Returns a uniform random number below the limit. Draws again if the modulus would favor small numbers. */
function below(limit: number): number {
  const fair = 256 - (256 % limit)
  for (;;) {
    const [drawn = 0] = crypto.getRandomValues(new Uint8Array(1))
    if (drawn < fair) return drawn % limit
  }
}
