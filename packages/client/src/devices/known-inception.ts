import { isOlderHead, type KnownInception } from '#protocol/base/inception-head'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { LogName } from '../memory/errors.ts'
import type { KnownLogs } from '../memory/known-logs.ts'

export function inceptionName(did: string): LogName {
  return { kind: 'inception', of: did }
}

/**
 * Returns the newest event of its inception log that the owner of a memory has seen, or the genesis block; null if it has
 * seen neither. A device has seen at least the event that attested it. Statements of the owner name this event. Makes no
 * request.
 */
export async function knownInception(
  memory: Pick<KnownLogs, 'recall'>,
  owner: Identity | Device,
): Promise<KnownInception> {
  const newest = (await memory.recall(inceptionName(owner.did))).at(-1)
  const seen = newest ? { sequence: newest.position, hash: newest.hash } : null
  const attested = 'membership' in owner ? (owner.membership?.inception ?? null) : null
  return isOlderHead(seen, attested) ? attested : seen
}

/** Reads the head of the inception log of this client's identity, so that what is signed next names it. */
export type ReadHead = () => Promise<unknown>
