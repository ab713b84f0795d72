import { basename } from 'node:path'
import { partsOf, type WorkerPart } from './worker-parts.ts'

/** Three parts of similar duration. */
export const CORE = partsOf('core', {
  notes: ['notes', 'ipfs', 'internal'],
  rotation: ['rotation', 'inception', 'anchors', 'records', 'objects'],
})

/** The part of core that a configuration file is for. */
export function corePartOf(config: string): WorkerPart {
  const [, part] = /^vitest\.([a-z]+)\.config\.ts$/.exec(basename(config)) ?? []
  if (part === undefined) return CORE.rest
  if (part === 'notes' || part === 'rotation') return CORE.part(part)
  throw new Error(`core has no part ${part}`)
}
