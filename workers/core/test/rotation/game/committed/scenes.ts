/** Thefts by what thief and owner hold, as letters. */

import type { Scene, Side } from '../model.ts'
import type { Outcome } from '../solver.ts'

/** R the root key, K a request that it signed ahead, D a device that can co-sign, S a committed successor. */
export function sceneOf(thief: string, owner: string, rest: Partial<Scene> = {}): Scene {
  const sideOf = (held: string): Side => ({
    root: held.includes('R'),
    devices: held.includes('D') ? ['old'] : [],
    successor: held.includes('S'),
  })
  // A thief of the root key adds a device, if they have none.
  const attests = thief.includes('R') && !thief.includes('D') ? 1 : 0
  const kept = owner.includes('K') ? { requests: 1, handed: true } : {}
  return { T: { ...sideOf(thief), attests }, O: { ...sideOf(owner), ...kept }, ...rest }
}

/** `+2` the owner regains within 2 ticks, `-2` lost after 2 at the earliest, `=` neither wins, `o` nothing is noticed. */
export function shortOf({ thief, owner }: Outcome): string {
  if (owner === 0 && thief === Number.POSITIVE_INFINITY) return 'o'
  if (owner < Number.POSITIVE_INFINITY) return `+${owner}`
  return thief < Number.POSITIVE_INFINITY ? `-${thief}` : '='
}
