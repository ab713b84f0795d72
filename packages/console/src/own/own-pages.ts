import { words } from '../words/own/words.ts'

/** The pages of somebody who has an identity, in the order of their menu. */
export const OWN_PAGES: readonly (readonly [path: string, name: string])[] = [
  ['/', words.overview],
  ['/notes', words.notes],
  ['/inbox', words.inbox],
  ['/backup', words.backup],
]
