/** The page on consent: its signature, its projections, its hashes and the numbers that it names. */

import { type ConsentQuestion, type ConsentVerdict, consentQuestionHash } from '@svc/protocol/consent/authority'
import { CONSENT_BUCKETS, consentBucketOf } from '@svc/protocol/consent/buckets'
import { type ConsentClaim, MAX_CLAIM_ACTS, MAX_CLAIMS } from '@svc/protocol/consent/claims'
import * as consent from '@svc/protocol/consent/consent'
import { verifyConsentClaim, verifyConsentHistory } from '@svc/protocol/consent/history'
import { type ConsentHistory, MAX_HISTORY_PAGE } from '@svc/protocol/consent/history-page'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import { projectionsOf, usageOf } from '@svc/protocol/consent/projection'
import { CREATOR_PAGE, MAX_CREATOR_PAGE } from '@svc/protocol/consent/queries'
import { entriesHash, SNAPSHOT_PAGE, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { expect, it } from 'vitest'
import { pagesText, value, vector } from './examples.ts'

const message = value('consent-message') as consent.ConsentMessage
const record = value('consent-record') as consent.ConsentRecord

it('shows the characters that are signed, and a signature of them', async () => {
  const signed = new TextDecoder().decode(consent.consentSignedBytes(message))
  expect(pagesText).toContain(`\n${signed}\n`)
  expect(await consent.verifyConsent(message, vector('publicKeyB64u'), vector('consentSignature'))).toBe(true)
  expect(await consent.verifyConsent(message, vector('operatorPublicKeyB64u'), vector('consentSignature'))).toBe(false)
})

interface ShownBucket {
  readonly hash: string
  readonly identifierHash: string
  readonly bucket: number
}

it('shows a record whose projections are its own', () => {
  expect(record.projections).toEqual(projectionsOf(record.preferences))
  expect(pagesText).toContain(`with the header \`X-Svc-Consent: ${usageOf(record.preferences)}\``)
  expect(value('consent-miss')).toEqual(consent.missOf((value('consent-miss') as consent.ConsentMiss).hash))
})

it('shows a history that holds', async () => {
  const { hash, entries, state } = value('consent-history') as ConsentHistory
  const verified = await verifyConsentHistory({ hash, creatorDid: vector('did') }, entries)
  expect(verified).toMatchObject({ ok: true, value: { unproved: [], states: [{ preferences: state.preferences }] } })
})

it('shows a claim that holds', async () => {
  const claim = value('consent-claim') as ConsentClaim
  expect(await verifyConsentClaim({ hash: record.hash }, claim)).toEqual({ isProved: true })
})

it('shows the hashes of what stands beside them', async () => {
  const { statement, entries } = value('consent-snapshot') as SnapshotPage
  expect(statement).toMatchObject({ count: entries.length, entriesHash: await entriesHash(entries) })
  const { questionHash } = value('consent-verdict') as ConsentVerdict
  expect(questionHash).toBe(consentQuestionHash(value('consent-question') as ConsentQuestion))
})

it('shows the buckets of identifiers', () => {
  const shown = value('consent-buckets') as ShownBucket[]
  for (const { hash, ...expected } of shown)
    expect({ identifierHash: identifierHash(hash), bucket: consentBucketOf(hash) }).toEqual(expected)
  const { statement, entries } = value('consent-snapshot') as SnapshotPage
  expect(statement.bucket).toBe(consentBucketOf(record.hash))
  expect(entries).toEqual([
    {
      identifier_hash: identifierHash(record.hash),
      creator_hash: creatorHash(record.hash, vector('did')),
      preferences: record.preferences,
    },
  ])
})

it('names the limits as they are', () => {
  const english = (number: number) => number.toLocaleString('en')
  for (const phrase of [
    `up to ${english(consent.MAX_BATCH)} identifiers`,
    `fewer than ${english(consent.MAX_ACTS)} acts`,
    `${english(TIER_BUDGETS.notes.consentRecords)} records and ${english(TIER_BUDGETS.notes.consentActs)} acts`,
    `\`limit\` clamped to 1–${MAX_CREATOR_PAGE}`,
    `${CREATOR_PAGE} per page`,
    `${MAX_HISTORY_PAGE} per page`,
    `The claims of the ${MAX_CLAIMS} newest claimants`,
    `${MAX_CLAIM_ACTS} claims to an identifier`,
    `${english(SNAPSHOT_PAGE)} records per page`,
    `${english(CONSENT_BUCKETS)} [buckets](#buckets)`,
  ]) {
    expect(pagesText).toContain(phrase)
  }
})
