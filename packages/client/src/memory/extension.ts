/**
 * The one rule of memory: what a service shows must extend what it has shown. How a log proves that it only grew is
 * left to its adapter: a chain of hashes (`linked-log.ts`), or a Merkle consistency proof (`checkpoint-log.ts`).
 *
 * @module
 */

import { unverified } from '../verification/verification-error.ts'
import { ForkError, type LogName, type Piece, type Place, RollbackError, UnprovedError } from './errors.ts'

/** How one kind of log proves that it only grew. */
export interface Log<E> {
  readonly name: LogName
  /**
   * What was signed at `claimed`, which is at or after the newest remembered piece, if it provably extends every one of
   * them. Fetches only what lies between. With nothing remembered, whether it is signed at all.
   */
  readonly extend: (remembered: readonly Piece<E>[], claimed: Place) => Promise<Extension<E>>
  /** What the service shows at a place, unverified; null if it shows nothing. For evidence. */
  readonly show: (place: Place) => Promise<E | null>
}

export type Extension<E> =
  | { readonly kind: 'extends'; readonly piece: Piece<E> }
  | {
      readonly kind: 'fork' | 'unproved'
      readonly remembered: Piece<E | null> | null
      readonly received: Piece<E | null>
    }

/**
 * Throws if a place is older than the newest remembered piece (ascending by position), or is another one in its place.
 * Does not ask whether a later place extends it.
 */
export async function refuseOlder<E>(
  log: Pick<Log<E>, 'name' | 'show'>,
  remembered: readonly Piece<E>[],
  claimed: Place,
): Promise<void> {
  const newest = remembered.at(-1)
  if (!newest || claimed.position > newest.position || isSamePlace(newest, claimed)) return
  const received = { ...claimed, signed: await log.show(claimed).catch(() => null) }
  const evidence = { log: log.name, remembered: newest, received }
  throw claimed.position < newest.position ? new RollbackError(evidence) : new ForkError(evidence)
}

/**
 * The piece at `claimed` if it extends everything remembered (ascending by position). Throws a `HistoryError` otherwise,
 * and an Error if there is nothing to contradict yet and the claim is not signed.
 */
export async function follow<E>(log: Log<E>, remembered: readonly Piece<E>[], claimed: Place): Promise<Piece<E>> {
  await refuseOlder(log, remembered, claimed)
  const newest = remembered.at(-1)
  if (newest && remembered.length === 1 && isSamePlace(newest, claimed)) return newest
  const extension = await log.extend(remembered, claimed)
  if (extension.kind === 'extends') return extension.piece
  const against = extension.remembered ?? newest
  if (!against)
    throw unverified(log.name.kind, 'unproved', `Nothing proves what the service claims of the ${log.name.kind} log`, {
      where: { position: claimed.position },
      evidence: extension.received,
    })
  const evidence = { log: log.name, remembered: against, received: extension.received }
  throw extension.kind === 'fork' ? new ForkError(evidence) : new UnprovedError(evidence)
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.position === b.position && a.hash === b.hash
}
