import { words } from '../words/own/words.ts'

/** The pages of somebody who has an identity, in the order of their menu. */
export const OWN_PAGES: readonly (readonly [path: string, name: string])[] = [
  ['/', words.overview],
  ['/notes', words.notes],
  ['/inbox', words.inbox],
  ['/capsules', words.capsules],
  ['/anchors', words.anchors],
  ['/assets', words.assets],
  ['/consent', words.consent],
  ['/chain', words.chain],
  ['/directory', words.directory],
  ['/organization', words.organization],
  ['/payments', words.payments],
  ['/backup', words.backup],
]
