/**
 * How long a watch token works, and how many there are. Pure; time is passed in.
 *
 * @module
 */
import { MAX_DEVICE_WATCH_TOKENS, MAX_ROOT_WATCH_TOKENS } from '@svc/protocol/chain/watch'

/** What is kept of a token: never the token itself. */
export interface WatchToken {
  readonly tokenHash: string
  /** `root`, or the id of a device. */
  readonly madeBy: string
  readonly epoch: number
  readonly madeAt: number
  readonly withdrawnAt: number | null
}

/** A thief who withdraws the owner's tokens blinds nobody before the owner's devices have lost their standing too. */
export function worksUntil({ withdrawnAt }: WatchToken, standingMs: number): number | null {
  return withdrawnAt === null ? null : withdrawnAt + standingMs
}

export function works(token: WatchToken, now: number, standingMs: number): boolean {
  const end = worksUntil(token, standingMs)
  return end === null || now < end
}

/**
 * Whether a key can have another token. One that was withdrawn counts while it works, and one of an earlier epoch does
 * not, so that no thief of an earlier key has used up the room.
 */
export function hasRoom(tokens: readonly WatchToken[], { madeBy, epoch }: Pick<WatchToken, 'madeBy' | 'epoch'>) {
  const own = tokens.filter((one) => one.madeBy === madeBy && one.epoch === epoch)
  return own.length < (madeBy === 'root' ? MAX_ROOT_WATCH_TOKENS : MAX_DEVICE_WATCH_TOKENS)
}

/** The root key withdraws every token, a device its own. */
export function mayWithdraw({ madeBy }: WatchToken, deviceId: string | null): boolean {
  return deviceId === null || madeBy === deviceId
}
