import { partsOf } from './worker-parts.ts'

/** Three parts of similar duration. */
export const CORE = partsOf('core', {
  notes: ['notes', 'ipfs', 'internal'],
  rotation: ['rotation', 'inception', 'anchors', 'records', 'objects'],
})
