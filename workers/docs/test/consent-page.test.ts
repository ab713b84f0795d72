/** The page on consent: its signature, its projections, its hashes and the numbers that it names. */
import * as consent from '@svc/protocol/consent'
import { type ConsentQuestion, type ConsentVerdict, consentQuestionHash } from '@svc/protocol/consent-authority'
import { verifyConsentHistory } from '@svc/protocol/consent-history'
import { projectionsOf, usageOf } from '@svc/protocol/consent-projection'
import { entriesHash, SNAPSHOT_PAGE, type SnapshotPage } from '@svc/protocol/consent-snapshot'
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

it('shows a record whose projections are its own', () => {
  expect(record.projections).toEqual(projectionsOf(record.preferences))
  expect(pagesText).toContain(`with the header \`X-Svc-Consent: ${usageOf(record.preferences)}\``)
  expect(value('consent-miss')).toEqual(consent.missOf((value('consent-miss') as consent.ConsentMiss).hash))
})

it('shows a history that holds', async () => {
  const { hash, entries, state } = value('consent-history') as consent.ConsentHistory
  const verified = await verifyConsentHistory({ hash, creatorDid: vector('did') }, entries)
  expect(verified).toMatchObject({ ok: true, value: { unproved: [], states: [{ preferences: state.preferences }] } })
})

it('shows the hashes of what stands beside them', () => {
  const { statement, entries } = value('consent-snapshot') as SnapshotPage
  expect(statement).toMatchObject({ count: entries.length, entriesHash: entriesHash(entries) })
  const { questionHash } = value('consent-verdict') as ConsentVerdict
  expect(questionHash).toBe(consentQuestionHash(value('consent-question') as ConsentQuestion))
})

it('names the limits as they are', () => {
  const english = (number: number) => number.toLocaleString('en')
  for (const phrase of [
    `at most ${english(consent.MAX_BATCH)} identifiers`,
    `has not had ${english(consent.MAX_ACTS)} acts`,
    `\`limit\` clamped to 1 to ${consent.MAX_CREATOR_PAGE}`,
    `${consent.CREATOR_PAGE} in a page`,
    `${consent.MAX_HISTORY_PAGE} in a page`,
    `${english(SNAPSHOT_PAGE)} records in a page`,
  ]) {
    expect(pagesText).toContain(phrase)
  }
})
