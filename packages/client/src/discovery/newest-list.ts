import { listFingerprint } from '#protocol/merkle/list-fingerprint'
import type { ListKeys, SignedLogList } from '#protocol/merkle/log-list'
import { TrustedLogs } from '../logs/trusted-logs.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified, VerificationError } from '../verification/verification-error.ts'
import type { Pin } from './pin.ts'

/** Caches serve a list for two minutes after there is a newer one. */
const MAY_LAG_MS = 5 * 60_000

export interface ListSource {
  readonly transport: Transport
  readonly url: string
  readonly keys: ListKeys
  readonly pinned: SignedLogList | null
}

/**
 * The newest list that the trusted keys lead to; null if the service has none and none is known. While the service does
 * not answer, or still shows the list before, it is the pinned one. Throws a `VerificationError` for any other list.
 */
export async function newestList({ transport, url, keys, pinned }: ListSource): Promise<SignedLogList | null> {
  const logs = new TrustedLogs(transport, url, { listKeys: keys, ...(pinned && { list: pinned }) })
  try {
    return await logs.newest()
  } catch (error) {
    const lags = pinned !== null && transport.now() - pinned.statement.issuedAt < MAY_LAG_MS
    if (error instanceof VerificationError && error.reason === 'list_rolled_back' && lags) return pinned
    const isAbsent = error instanceof Error && ['ServiceError', 'ConnectionError'].includes(error.name)
    if (!isAbsent) throw error
    if (pinned && pinned.statement.validUntil < transport.now()) throw error
    return pinned
  }
}

/** A list that was verified before, if its time is not over. */
export function currentList(list: SignedLogList, now: number): SignedLogList {
  if (now <= list.statement.validUntil) return list
  throw unverified('logs', 'list_expired', 'The signed list is over, and the deployment shows no other', {
    evidence: list,
  })
}

/** The fingerprint of the keys that a pin trusts now; null without any. */
export function fingerprintOf({ list, logListKeys }: Pick<Pin, 'list' | 'logListKeys'>): string | null {
  const keys = list?.statement.keys ?? logListKeys
  return keys && listFingerprint(keys)
}
