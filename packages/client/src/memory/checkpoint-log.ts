import { mirrorOf } from '../mirrors/from-mirror.ts'
import { ForkError, type LogName, type Piece, type Place } from './errors.ts'
import { follow, type Log } from './extension.ts'
import type { KnownLogs } from './known-logs.ts'

/** Answers about logs are cached at the edge for seconds, so an older one is accepted while the newest is this young. */
const STALE_MS = 60_000

/** A checkpoint that a log signed: how large its tree was, the root of it, and when. */
export interface Checkpoint {
  readonly statement: { readonly size: number; readonly root: string; readonly issuedAt: number }
}

export function placeOfCheckpoint({ statement: { size, root } }: Checkpoint): Place {
  return { position: size, hash: root }
}

/** A log whose checkpoints are signed; `isExtension` verifies that the later one contains all of the earlier one. */
export function checkpointLog<C extends Checkpoint>(
  name: LogName,
  received: C,
  isExtension: (earlier: C, later: C) => Promise<boolean>,
): Log<C> {
  const piece: Piece<C> = { ...placeOfCheckpoint(received), signed: received }
  return {
    name,
    extend: async (remembered) => {
      for (const earlier of remembered) {
        const isSame = earlier.position === piece.position && earlier.hash === piece.hash
        if (!isSame && !(await isExtension(earlier.signed, received))) {
          return { kind: 'fork', remembered: earlier, received: piece }
        }
      }
      return { kind: 'extends', piece }
    },
    show: () => Promise.resolve(received),
  }
}

/**
 * Remembers a checkpoint, whose signature the caller has verified, if the log proves that it extends what is known of
 * it. An older one that was cached must be extended by the newest. A mirror that is behind cannot prove that the newest
 * extends its own: both are remembered then, and the next that the service shows must extend both.
 */
export async function believeCheckpoint<C extends Checkpoint & { readonly publicKeyB64u: string }>(
  checkpoint: C,
  parts: {
    readonly memory: KnownLogs
    readonly name: LogName
    readonly isExtension: (earlier: C, later: C) => Promise<boolean>
    /** Epoch milliseconds. */
    readonly now: number
  },
): Promise<void> {
  const { memory, name, isExtension, now } = parts
  const known = await memory.recall<Piece<C>>(name)
  const newest = known.at(-1)
  const place = placeOfCheckpoint(checkpoint)
  const received = { ...place, signed: checkpoint }
  // A log has one key for as long as it has its name.
  if (newest && newest.signed.publicKeyB64u !== checkpoint.publicKeyB64u)
    throw new ForkError({ log: name, remembered: newest, received })
  const isOlder = newest !== undefined && place.position < newest.position
  if (isOlder && mirrorOf(checkpoint)) return memory.advance(name, received, [])
  if (isOlder && now - newest.signed.statement.issuedAt < STALE_MS) {
    if (await isExtension(checkpoint, newest.signed)) return
    throw new ForkError({ log: name, remembered: newest, received })
  }
  const piece = await follow(checkpointLog(name, checkpoint, isExtension), known, place)
  await memory.advance(name, piece, known)
}
