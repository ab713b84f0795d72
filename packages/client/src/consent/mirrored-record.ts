import { type ConsentMiss, type ConsentRecord, consentRecordSchema, missOf } from '#protocol/consent/consent'
import { isOfEntry } from '#protocol/consent/record-act'
import { acceptAge, markLike, mirrorOf } from '../mirrors/from-mirror.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { checkRecord } from './record-check.ts'
import type { ConsentSnapshot } from './snapshot.ts'

/**
 * The record that a mirror has for an identifier, as of a snapshot. The creator's signature does not tell whether a record
 * is still the newest: the snapshot does, which the service has signed. Null if the service answers again.
 */
export async function mirroredRecord(
  transport: Transport,
  url: string,
  { hash, snapshot }: { readonly hash: string; readonly snapshot: ConsentSnapshot },
): Promise<ConsentRecord | ConsentMiss | null> {
  const entry = snapshot.entry(hash)
  if (!entry) return markLike(missOf(hash), snapshot)
  const record = await transport.json({ method: 'GET', url, isMirrored: true }, consentRecordSchema)
  if (!mirrorOf(record)) return null
  if (!isOfEntry(record, entry))
    throw unverified('consent', 'mismatch', 'The record is not the one of the snapshot', { evidence: record })
  await checkRecord(record, null)
  acceptAge(record, snapshot.signedAt, transport.now())
  return record
}
