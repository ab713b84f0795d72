import { encodeBase64url } from '@svc/protocol/base/base64url'
import { didOf, userIdOfKey } from '@svc/protocol/base/identity'
import { describe, expect, it } from 'vitest'
import { type ProofFacts, proofOf } from './rules.ts'

const NOW = 1_790_000_000_000
const key = encodeBase64url(new Uint8Array(1952).fill(1))
const did = didOf(userIdOfKey(key))
const otherDid = `did:svc:${'A'.repeat(32)}`
const block = { index: '7', dataHash: 'b8'.repeat(48) } as unknown as NonNullable<ProofFacts['block']>
const chain = { index: '7', blockHash: 'c9'.repeat(48) } as unknown as ProofFacts['record']['chain']
const record = {
  assetId: `asset:sha3-384:${'a7'.repeat(48)}`,
  did,
  capsule: { kind: 'image' },
  capsuleHash: 'd1'.repeat(48),
  signature: { publicKeyB64u: key },
  signer: { kind: 'root', epoch: 0 },
  position: 5,
  registeredAt: NOW - 1,
  claimCount: 1,
  chain,
  claims: [{ did }],
} as unknown as ProofFacts['record']
const keyStatus = { state: 'current' } as ProofFacts['keyStatus']
const proof = (changed: object = {}, facts: Partial<ProofFacts> = {}) =>
  proofOf({ record: { ...record, ...changed }, block, keyStatus, ...facts }, NOW)
const gaps = (...args: Parameters<typeof proof>) => proof(...args).gaps.map(({ gap }) => gap)
const strengths = (...args: Parameters<typeof proof>) =>
  Object.fromEntries(proof(...args).evidence.map(({ kind, strength }) => [kind, strength]))

/** What no bundle of this service has. */
const ALWAYS = ['no_ledger_anchor', 'no_trusted_time', 'content_not_seen']

describe('a proof', () => {
  it('holds the registration as it is', () => {
    const { evidence: _, gaps: __, ...rest } = proof()
    expect(rest).toEqual({
      format: 'svc-proof-bundle/1',
      assetId: record.assetId,
      did,
      capsule: record.capsule,
      capsuleHash: record.capsuleHash,
      signature: record.signature,
      signer: record.signer,
      registration: { position: 5, registeredAt: NOW - 1, claimCount: 1 },
      keyStatus,
      chain: { ...chain, block },
      anchor: null,
      anchorReason:
        'Automatic ledger publication is disabled: nothing that is registered here is published to a ledger by this service',
      issuedAt: NOW,
    })
  })

  it('says how strong each piece of evidence is', () => {
    expect(strengths()).toEqual({
      capsule_signature: 'cryptographic',
      capsule_hash: 'cryptographic',
      content_hash: 'cryptographic',
      key_of_did: 'cryptographic',
      chain_block: 'cryptographic',
      registration: 'service',
      key_status: 'authority',
      media_facts: 'claim',
    })
    expect(gaps()).toEqual(ALWAYS)
  })

  it('says each in a sentence', () => {
    const weak = proof({ signer: { kind: 'device' }, claimCount: 2, claims: [], chain: null }, { keyStatus: null })
    const { gaps: current } = proof({}, { keyStatus: { state: 'revoked' } as ProofFacts['keyStatus'] })
    const said = [...proof().evidence, ...weak.evidence, ...weak.gaps, ...current].map(({ says }) => says)
    expect(said.filter((says) => !/^[A-Z][^.]{15,}$/.test(says))).toEqual([])
  })

  it('has a block only if the record names it and it was found', () => {
    for (const [changed, facts] of [
      [{ chain: null }, {}],
      [{}, { block: null }],
    ] as const) {
      expect(proof(changed, facts).chain).toBeNull()
      expect(strengths(changed, facts)).not.toHaveProperty('chain_block')
      expect(gaps(changed, facts)).toEqual([...ALWAYS, 'no_chain_binding'])
    }
  })

  it.each<[string, object]>([
    ['a device', { signer: { kind: 'device' } }],
    ['a later root key', { did: otherDid, claims: [{ did: otherDid }] }],
  ])('rests on core for the key of %s', (_, changed) => {
    expect(strengths(changed)).toMatchObject({ key_of_did: 'authority' })
    expect(proof(changed).evidence.find(({ kind }) => kind === 'key_of_did')?.says).toBe(
      'At registration core said that the key speaks for the DID',
    )
    expect(gaps(changed)).toEqual([...ALWAYS, 'key_by_authority'])
  })

  it('does not rest on core for the key that the DID derives from', () => {
    expect(proof().evidence.find(({ kind }) => kind === 'key_of_did')?.says).toBe(
      'The DID is derived from the key that signed',
    )
  })

  it('says how the key stands now, if it is not in force', () => {
    expect(gaps({}, { keyStatus: null })).toEqual([...ALWAYS, 'key_status_unavailable'])
    const superseded = { state: 'superseded' } as ProofFacts['keyStatus']
    expect(proof({}, { keyStatus: superseded }).gaps.at(-1)).toEqual({
      gap: 'key_not_current',
      says: 'The key is superseded now',
    })
  })

  it('names competing and earlier claims', () => {
    expect(gaps({ claimCount: 2 })).toEqual([...ALWAYS, 'competing_claims'])
    expect(gaps({ claimCount: 2, claims: [{ did: otherDid }, { did }] })).toEqual([
      ...ALWAYS,
      'competing_claims',
      'earlier_claim',
    ])
    expect(gaps({ claims: [] })).toEqual([...ALWAYS, 'earlier_claim'])
  })
})
