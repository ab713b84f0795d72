import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { hashHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { labels, otherLabels } from './account-labels.fixture.ts'
import { provedLabel } from './account-labels.ts'
import { leafIdOf, updateEntryOf, updateLine } from './account-updates.ts'

const DID = `did:svc:${'A'.repeat(32)}`
const OTHER_DID = `did:svc:${'B'.repeat(32)}`
const LIST = { namespace: REALM, labelKeyB64u: labels.publicKeyB64u }
const { label, labelProofB64u } = labels.prove(DID)

describe('the label of an account', () => {
  it('is proved to those who know the DID', async () => {
    expect(label).toMatch(/^[0-9a-f]{64}$/)
    expect(labels.labelOf(DID)).toBe(label)
    expect(await provedLabel(DID, labelProofB64u, LIST)).toBe(label)
  })

  it('is the only one: no proof of another key, namespace or DID gives one, and no changed proof', async () => {
    const other = otherLabels.prove(DID)
    expect(other.label).not.toBe(label)
    expect(await provedLabel(DID, other.labelProofB64u, LIST)).toBeNull()
    expect(await provedLabel(OTHER_DID, labelProofB64u, LIST)).toBeNull()
    expect(await provedLabel(DID, labelProofB64u, { ...LIST, namespace: 'https://other.test' })).toBeNull()
    expect(await provedLabel(DID, labelProofB64u, { ...LIST, labelKeyB64u: otherLabels.publicKeyB64u })).toBeNull()
    const changed = `${labelProofB64u[0] === 'A' ? 'B' : 'A'}${labelProofB64u.slice(1)}`
    expect(await provedLabel(DID, changed, LIST)).toBeNull()
  })
})

/** A stranger with a list of DIDs, the entries of the log, the signed list of logs and every answer about a leaf. */
describe('a stranger', () => {
  const dids = [DID, OTHER_DID, `did:svc:${'C'.repeat(32)}`]
  const entries = dids.map((did, i) =>
    updateLine({ label: labels.labelOf(did), seq: 1, statementHash: hashHex(new Uint8Array([i])) }),
  )
  /** Every name that can be made of what is public. */
  const guesses = (did: string) =>
    ['svc/account-label/v1', 'svc/account-label/v2'].flatMap((type) => {
      const digest = hashHex(jcsBytes({ type, namespace: REALM, did })).slice(0, 64)
      const keyed = hashHex(jcsBytes({ type, namespace: REALM, did, key: labels.publicKeyB64u })).slice(0, 64)
      return [digest, keyed]
    })

  it('finds no update of a DID in the log', () => {
    const logged = new Set(entries.map((line) => updateEntryOf(line)?.label))
    expect(logged.size).toBe(dids.length)
    for (const did of dids) for (const guess of guesses(did)) expect(logged.has(guess)).toBe(false)
  })

  it('could test DIDs with a proof, so nothing that is asked for by leaf or label has one', async () => {
    const tested = await Promise.all(dids.map((did) => provedLabel(did, labelProofB64u, LIST)))
    expect(tested).toEqual([label, null, null])
    for (const line of entries) expect(line).not.toContain(labelProofB64u)
    expect(leafIdOf(label, 'a7'.repeat(48))).not.toContain(labelProofB64u)
  })
})
