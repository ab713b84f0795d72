/** Which words of a sheet its owner types from the paper, to show that it is there and can be read. */
import { checkCall } from '../arguments/check.ts'
import { wordsIn } from '../backup/words/words.ts'
import type { SuccessorSheet } from './successor-sheet.ts'

const WORDS = 24
/** Two of 24: somebody who has not written the words down knows neither. */
const ASKED = 2

/** The positions of two different words, from 1, in their order: by the runtime's randomness. */
export function askedPositions(): readonly number[] {
  const positions = Array.from({ length: WORDS }, (_, at) => at + 1)
  const asked = Array.from({ length: ASKED }, () => positions.splice(below(positions.length), 1)[0] ?? 1)
  return asked.toSorted((a, b) => a - b)
}

/** Whether these are the words at the positions. Case and white space do not matter. */
export function confirmsWords(sheet: SuccessorSheet, positions: readonly number[], typed: readonly string[]): boolean {
  checkCall('confirmsWords', [sheet, positions, typed], ['sheet', 'positions', 'typed'])
  const words = sheet.revealWords().split(' ')
  if (positions.length === 0 || positions.length !== typed.length) return false
  return positions.every((position, at) => words[position - 1] === wordsIn(typed[at] ?? ''))
}

/** A random number below another, each as likely: what would favour the small ones is drawn again. */
function below(limit: number): number {
  const fair = 256 - (256 % limit)
  for (;;) {
    const [drawn = 0] = crypto.getRandomValues(new Uint8Array(1))
    if (drawn < fair) return drawn % limit
  }
}
