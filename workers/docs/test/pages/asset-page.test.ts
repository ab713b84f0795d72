import { proveOwner } from '@svc/protocol/ledger/asset-proof'
import { mintBytes, transferBytes } from '@svc/protocol/ledger/asset-statements'
import * as assets from '@svc/protocol/ledger/assets'
import { verifyAttestations } from '@svc/protocol/ledger/attestations'
import { policyBytes, publishPolicySchema } from '@svc/protocol/ledger/governance'
import { describe, expect, it } from 'vitest'
import { ASSET_DIGESTS, FIRST_POLICY_ID } from './asset-digests.ts'
import { value, vector } from './examples.ts'

const REALM = 'https://core.example'
const { record, transfers } = assets.assetExportSchema.parse(value('asset-export'))
const written = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as unknown

describe('the pages on assets and governance', () => {
  it('show an export that proves its owner', async () => {
    const rootKeysOf = () => Promise.reject(new Error('no key of a later epoch signed'))
    const proof = await proveOwner({ record, transfers }, { realms: [REALM], rootKeysOf })
    expect(proof).toEqual({ owner: 'proved', did: transfers[0]?.newOwner, minter: vector('did') })
  })

  it('show the requests and statements of its mint and its transfer', () => {
    const { header, asset, attestations } = record
    expect(value('mint-asset')).toEqual({ header, asset, attestations })
    const issuedAt = Date.parse(attestations[0]?.signedAt ?? '')
    expect(written(mintBytes(header, asset, REALM)(issuedAt))).toEqual(value('asset-mint-statement'))
    const [transfer] = transfers
    expect(value('transfer-asset')).toEqual({ header: transfer?.header, attestations: transfer?.attestations })
    const place = { previousOwner: vector('did'), position: 0, previousEventHash: ASSET_DIGESTS[1] ?? '' }
    const movedAt = Date.parse(transfer?.attestations[0]?.signedAt ?? '')
    const bytes = transferBytes(transfer!.header, place, REALM)(movedAt)
    expect(written(bytes)).toEqual(value('asset-transfer-statement'))
  })

  it('show a policy that its predecessor authorizes', async () => {
    const { attestations, ...proposal } = publishPolicySchema.parse(value('publish-policy'))
    expect(await verifyAttestations(attestations, policyBytes(proposal, REALM))).toMatchObject({ ok: true })
    expect(proposal.previousPolicyId).toBe(FIRST_POLICY_ID)
    const issuedAt = Date.parse(attestations[0]?.signedAt ?? '')
    expect(written(policyBytes(proposal, REALM)(issuedAt))).toEqual(value('governance-policy-statement'))
  })
})
