import * as z from 'zod'
import { base64urlOf, bytesOf } from '#protocol/base/base64url'
import { pure } from '#protocol/base/pure'
import {
  commitmentHash,
  commitmentIdOf,
  commitmentIdSchema,
  commitmentSchema,
  SALT_BYTES,
} from '#protocol/provenance/commitments'
import { unverified } from '../verification/verification-error.ts'
import { formed } from './form.ts'
import { absentAsNull, type Means } from './means.ts'
import { checked, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

const saltB64u = /* @__PURE__ */ base64urlOf(SALT_BYTES)
/** What `svc` and the console keep: the commitment, or its id, and the salt that opens it. */
const openingSchema = /* @__PURE__ */ pure(() =>
  z.union([
    z.strictObject({ format: z.literal('svc/commitment-opening/v1'), id: commitmentIdSchema, saltB64u }),
    z.strictObject({ commitment: commitmentSchema, saltB64u }),
  ]),
)

/**
 * The opening of a commitment, with the content that was committed to. Its id is a hash of the DID, the salt and the
 * content; that this identity made it, and when, is what provenance says.
 */
export async function judgeCommitment(value: unknown, { client, file, expectedDid }: Means): Promise<Verdict> {
  const opening = formed(openingSchema, value)
  const kept = 'commitment' in opening ? opening.commitment : null
  const id = kept?.id ?? ('id' in opening ? opening.id : '')
  const about = { subject: id }
  if (!file) return verdictOf('commitment', null, [unchecked('opening')], { ...about, needs: 'file' })
  const found = client && (await absentAsNull(() => client.provenance.commitment(id)))
  const record = found ?? kept
  const did = expectedDid ?? record?.did ?? null
  const isHistorical = record?.profile === 'historical'
  if (did === null && !isHistorical && !client)
    return verdictOf('commitment', null, [unchecked('opening')], { ...about, needs: 'network' })
  const hash = commitmentHash(bytesOf(opening.saltB64u), file)
  // A historical record keeps the id that it came with. Every other id is the hash of the DID and of this hash.
  const isIt = isHistorical ? record.commitment_hash === hash : did === null ? null : commitmentIdOf(did, hash) === id
  if (isIt === false)
    throw unverified(
      'commitment',
      'hash_mismatch',
      'The commitment is of another identity, to other content or with another salt',
      {
        evidence: record ?? id,
      },
    )
  const opened = isIt ? checked('opening') : unchecked('opening')
  if (found) {
    const checks = [opened, unchecked('commitment', { at: found.created_at_ms })]
    return verdictOf('commitment', did, checks, about)
  }
  const checks = [opened, unchecked('registration')]
  if (!client) return verdictOf('commitment', did, checks, { ...about, needs: 'network' })
  return { ...verdictOf('commitment', did, checks, about), verdict: 'unknown' }
}
