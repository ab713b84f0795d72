import { words } from '../words/own/words.ts'

/** The pages of somebody who has an identity, in the order of their menu. */
export const OWN_PAGES: readonly (readonly [path: string, name: string])[] = [
  ['/', words.overview],
  ['/capsules', words.capsules],
  ['/consent', words.consent],
  ['/anchors', words.anchors],
  ['/chain', words.chain],
  ['/directory', words.directory],
  ['/organization', words.organization],
  ['/assets', words.assets],
  ['/payments', words.payments],
]
