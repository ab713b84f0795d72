/**
 * How long a watch token works, and how many there are. Pure; time is passed in.
 *
 * @module
 */
import { MAX_DEVICE_WATCH_TOKENS, MAX_ROOT_WATCH_TOKENS } from '@svc/protocol/chain/watch'

/** The stored record of a token. The token itself is never stored. */
export interface WatchToken {
  readonly tokenHash: string
  /** `root`, or the id of a device. */
  readonly madeBy: string
  readonly epoch: number
  readonly madeAt: number
  readonly withdrawnAt: number | null
}

/** A withdrawn token works until the owner's devices could lose their standing too, so a thief cannot end it sooner. */
export function worksUntil({ withdrawnAt }: WatchToken, standingMs: number): number | null {
  return withdrawnAt === null ? null : withdrawnAt + standingMs
}

export function works(token: WatchToken, now: number, standingMs: number): boolean {
  const end = worksUntil(token, standingMs)
  return end === null || now < end
}

/**
 * Returns whether a key can have another token. Withdrawn tokens that still work count towards the limit. Tokens of an
 * earlier epoch do not, so that a thief of an earlier key cannot have used up the limit.
 */
export function hasRoom(tokens: readonly WatchToken[], { madeBy, epoch }: Pick<WatchToken, 'madeBy' | 'epoch'>) {
  const own = tokens.filter((one) => one.madeBy === madeBy && one.epoch === epoch)
  return own.length < (madeBy === 'root' ? MAX_ROOT_WATCH_TOKENS : MAX_DEVICE_WATCH_TOKENS)
}

/** The root key can withdraw every token, and a device its own. */
export function mayWithdraw({ madeBy }: WatchToken, deviceId: string | null): boolean {
  return deviceId === null || madeBy === deviceId
}
