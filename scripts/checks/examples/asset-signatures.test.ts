/**
 * Verifies the signatures of the pages on assets and governance as a stranger: with Node's cryptography and canonical
 * JSON of its own, from what the pages say alone.
 */
import { describe, expect, it } from 'vitest'
import { allBlocks } from './blocks.ts'
import { type Json, jcs, type Members, Person, sha3, verifies } from './stranger.ts'

const textOf = (name: string) => allBlocks().find(({ info }) => info === `json example=${name}`)?.text ?? '{}'
const vectors = JSON.parse(textOf('vectors')) as Record<string, string>
const example = (name: string) =>
  JSON.parse(textOf(name), (_, member: Json) => {
    const [, named] = typeof member === 'string' ? (/^<(\w+)>$/.exec(member) ?? []) : []
    return named === undefined ? member : vectors[named]
  }) as Members

interface Attestation extends Members {
  readonly publicKeyB64u: string
  readonly signatureB64u: string
  readonly signedAt: string
}
interface Transfer extends Members {
  readonly header: Members & { readonly to: string }
  readonly attestations: readonly Attestation[]
  readonly previousOwner: string
}
interface Exported extends Members {
  readonly record: Members & {
    readonly header: Members
    readonly asset: Members
    readonly attestations: readonly Attestation[]
  }
  readonly transfers: readonly Transfer[]
  readonly position: number
}

const realm = 'https://core.example'
const alice = new Person(Buffer.from(vectors['signingSeedHex'] ?? '', 'hex'))
const { record, transfers, position } = example('asset-export') as Exported
const [transfer] = transfers

function isSigned({ publicKeyB64u, signatureB64u, signedAt }: Attestation, statement: Members): boolean {
  return verifies(publicKeyB64u, signatureB64u, jcs({ ...statement, realm, issuedAt: Date.parse(signedAt) }))
}

describe('an independent reader of the pages', () => {
  it('derives the asset’s id from the minter and the rest of the core', () => {
    const { assetId, ...core } = record.asset
    const digest = sha3(jcs({ type: 'svc/asset-id/v1', scope: alice.userId, core }))
    expect(assetId).toBe(`asset:sha3-384:${digest}`)
  })

  it('rebuilds what the minter signed from the record', () => {
    const { header, asset, attestations } = record
    const statement = { type: 'svc/asset-mint/v1', header, asset }
    expect(attestations.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([alice.publicKeyB64u])
    expect(attestations.every((attestation) => isSigned(attestation, statement))).toBe(true)
    expect(jcs(example('asset-mint-statement'))).toEqual(jcs({ ...statement, realm, issuedAt: 1_795_262_400_000 }))
    expect(isSigned(attestations[0]!, { ...statement, header: { ...header, timestamp: '2026-11-21T12:00:01Z' } })).toBe(
      false,
    )
  })

  it('rebuilds what the first owner signed from the export', () => {
    const { header, asset, attestations, createdAt = '' } = record
    const mint = { type: 'svc/asset-event/v1', header, asset, attestations, createdAt }
    const place = { position, previousEventHash: sha3(jcs(mint)) }
    const { header: moved, previousOwner, attestations: signed } = transfer!
    const statement = { type: 'svc/asset-transfer/v1', header: moved, previousOwner, newOwner: moved.to, ...place }
    expect(previousOwner).toBe(alice.did)
    expect(signed.map((attestation) => isSigned(attestation, statement))).toEqual([true])
    expect(jcs(example('asset-transfer-statement'))).toEqual(jcs({ ...statement, realm, issuedAt: 1_795_262_700_000 }))
    for (const other of [{ position: 2 }, { previousEventHash: '00'.repeat(48) }, { newOwner: alice.did }])
      expect(isSigned(signed[0]!, { ...statement, ...other })).toBe(false)
  })

  it('rebuilds what the signer of a policy signed, and its id', () => {
    const { attestations, ...proposal } = example('publish-policy')
    const statement = { type: 'svc/governance-policy/v1', ...proposal }
    const signed = attestations as readonly Json[] as readonly Attestation[]
    expect(signed.map((attestation) => isSigned(attestation, statement))).toEqual([true])
    expect(jcs(example('governance-policy-statement'))).toEqual(
      jcs({ ...statement, realm, issuedAt: 1_795_263_000_000 }),
    )
    const first = { policy: example('governance-policy'), previousPolicyId: null, nonce: 'b3BlcmF0b3ItYWN0LTAx' }
    expect(proposal['previousPolicyId']).toBe(sha3(jcs({ type: 'svc/policy-id/v1', ...first })))
  })
})
