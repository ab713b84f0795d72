import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** The type of a `tmpfs` in the answer of `statfs`. */
const TMPFS = 0x01_02_19_94
/** A whole run has had 0.5 GB there. A container's is 64 MB by default. */
const MIN_FREE_BYTES = 2 * 1024 ** 3

/**
 * A new folder in memory for the state of tests, or null where there is none or too little. Every write of a Durable Object,
 * D1, R2 or KV waits for the disk: some 240,000 times in a whole run. Tests end processes and never the power, so a file in
 * memory survives all that they do.
 */
export function memoryFolder(place = '/dev/shm'): string | null {
  try {
    const { type, bavail, bsize } = statfsSync(place)
    if (type !== TMPFS || bavail * bsize < MIN_FREE_BYTES) return null
    return mkdtempSync(join(place, 'svc-tests-'))
  } catch {
    return null
  }
}

/** Gives every command that runs from here on a temporary folder in memory, until the process ends. */
export function useMemory(place?: string): string | null {
  const folder = memoryFolder(place)
  if (folder === null) return null
  process.env['TMPDIR'] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
