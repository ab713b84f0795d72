import type { LogName, Piece, Place } from './errors.ts'
import type { Extension, Log } from './extension.ts'

/** A log in which every entry names the hash of the one before it: a chain, an inception log, bindings. */
export interface LinkedLog<E> {
  readonly name: LogName
  readonly placeOf: (entry: E) => Place
  /** The hash of the entry that this one follows. */
  readonly previousOf: (entry: E) => string
  /** Entries from one position to another, ascending; reading stops at the first that does not belong there. */
  readonly entries: (from: number, to: number) => AsyncIterable<E>
  /** The root epoch whose key signed an entry; null if no key of the identity did. */
  readonly epochOf: (entry: E) => Promise<number | null>
  /** The hash before the first entry, for logs that can be empty. */
  readonly emptyHash?: () => Promise<string>
}

export function linkedLog<E>(log: LinkedLog<E>): Log<E | null> {
  return {
    name: log.name,
    extend: (remembered, claimed) => extend(log, remembered, claimed),
    show: async ({ position }) => {
      for await (const entry of log.entries(position, position)) return entry
      return null
    },
  }
}

async function extend<E>(
  log: LinkedLog<E>,
  remembered: readonly Piece<E | null>[],
  claimed: Place,
): Promise<Extension<E | null>> {
  const start = remembered[0] ?? (await beginning(log, claimed))
  const unproved = (signed: E | null) =>
    ({ kind: 'unproved', remembered: null, received: { ...claimed, signed } }) as const
  if (start && start.position === claimed.position) {
    return start.hash === claimed.hash ? { kind: 'extends', piece: start } : unproved(null)
  }
  // From the epoch of the remembered piece on: its key has superseded those before.
  let epoch = start?.signed ? await log.epochOf(start.signed) : 0
  if (epoch === null) return unproved(null)
  let previous = start
  for await (const entry of log.entries(start ? start.position + 1 : claimed.position, claimed.position)) {
    const piece: Piece<E> = { ...log.placeOf(entry), signed: entry }
    const signer = await log.epochOf(entry)
    // A superseded key may no longer sign.
    if (signer === null || signer < epoch) return { kind: 'unproved', remembered: null, received: piece }
    const follows = previous === null || isNext(log, previous, piece)
    if (!follows) return { kind: 'fork', remembered: previous, received: piece }
    const same = remembered.find(({ position }) => position === piece.position)
    if (same && same.hash !== piece.hash) return { kind: 'fork', remembered: same, received: piece }
    if (piece.position === claimed.position) {
      return piece.hash === claimed.hash ? { kind: 'extends', piece } : unproved(entry)
    }
    if (previous === null) return { kind: 'unproved', remembered: null, received: piece }
    previous = piece
    epoch = signer
  }
  return unproved(null)
}

/** An empty log has a hash that everyone can compute; any other begins, for this client, with the entry it is shown. */
async function beginning<E>(log: LinkedLog<E>, claimed: Place): Promise<Piece<null> | null> {
  return claimed.position === 0 && log.emptyHash ? { position: 0, hash: await log.emptyHash(), signed: null } : null
}

function isNext<E>(log: LinkedLog<E>, previous: Place, piece: Piece<E>): boolean {
  return piece.position === previous.position + 1 && log.previousOf(piece.signed) === previous.hash
}
