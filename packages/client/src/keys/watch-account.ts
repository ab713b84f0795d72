import { type AccountHead, EMPTY_HEAD } from '#protocol/keys/account-updates'
import { isOutage } from '../mirrors/outage.ts'
import type { Transport } from '../transport/transport.ts'

export interface WatchOptions {
  /** The head that you know: of your last publication, or of the last news. By default, of an account without updates. */
  readonly from?: AccountHead
  /** Milliseconds between two checks; by default an hour. */
  readonly everyMs?: number
  /** Milliseconds for which the directory may be unavailable before the watch gives up; by default a day. */
  readonly maxSilenceMs?: number
}

export interface AccountNews {
  /** The proved head. Keep it, and pass it as `from` when you watch again. */
  readonly head: AccountHead
  /** How many updates since the head before. `keyDirectory.list` shows them; one that is not yours is an alarm. */
  readonly updates: number
}

const HOUR_MS = 3_600_000

/** Checks again and again, and yields each head that is new. See `Transparency.watch`. */
export async function* watchAccount(
  follow: (from: AccountHead) => Promise<AccountHead>,
  clock: Pick<Transport, 'now' | 'pause'>,
  { from = EMPTY_HEAD, everyMs = HOUR_MS, maxSilenceMs = 24 * HOUR_MS }: WatchOptions,
): AsyncGenerator<AccountNews> {
  if (!(everyMs > 0)) throw new RangeError('`everyMs` must be more than 0')
  let known = from
  for (let heardAt = clock.now(); ; await clock.pause(everyMs)) {
    const head = await follow(known).catch((error: unknown) => {
      if (!isOutage(error) || clock.now() - heardAt >= maxSilenceMs) throw error
      return null
    })
    if (!head) continue
    heardAt = clock.now()
    const updates = head.seq - known.seq
    known = head
    if (updates > 0) yield { head, updates }
  }
}
