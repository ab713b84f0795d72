import { Client } from '@svc/client'
import type { Calls } from './given.ts'

export const anchoring = {
  async readLogList({ client }) {
    const logs = await client.anchors.logs()
    const list = await logs.list()
  },

  async listAnchors({ client }) {
    const { items, cursor } = await client.anchors.page({ status: 'submitted', limit: 10 })
  },

  async submitAnchor({ client }) {
    const { hash } = await client.chain.append({ payload: new TextEncoder().encode('hello') })
    const { anchorId } = await client.anchors.submit({ root: hash, epoch: 'first' })
  },

  async readStateProof({ client }) {
    const { root, anchors } = await client.anchors.stateProof(16)
  },

  async readEligibility({ client }) {
    const { eligible, reasons } = await client.anchors.eligibility()
  },

  async readCheckpoint({ client }) {
    const { statement } = await client.anchors.checkpoint()
  },

  async readConsistency({ client }) {
    const { hash } = await client.chain.append({})
    await client.anchors.submit({ root: hash, epoch: 'first' })
    const earlier = await client.anchors.checkpoint()
    await client.anchors.submit({ root: hash, epoch: 'second' })
    await client.anchors.verifyExtension(earlier, await client.anchors.checkpoint())
  },

  async readAnchor({ client }) {
    const { hash } = await client.chain.append({})
    const { anchorId } = await client.anchors.submit({ root: hash, epoch: 'first' })
    const { status } = await client.anchors.read(anchorId)
  },

  async readBundle({ client }) {
    const { hash } = await client.chain.append({})
    const { anchorId } = await client.anchors.submit({ root: hash, epoch: 'first' })
    const bundle = await client.anchors.bundle(anchorId)
  },

  async readCosigned({ client, core }) {
    const { hash } = await client.chain.append({})
    const { anchorId } = await client.anchors.submit({ root: hash, epoch: 'first' })
    // Choose yours from another source; these are those that the deployment proposes.
    const proposed = client.discovery?.pin.list?.statement.witnesses.keys ?? []
    const witnesses = { threshold: 1, publicKeysB64u: proposed.map(({ publicKeyB64u }) => publicKeyB64u) }
    const demanding = await Client.connect({ core, witnesses })
    const { seen, cosigned } = await demanding.anchors.cosigned(anchorId)
  },

  async readPublications({ client }) {
    const { hash } = await client.chain.append({})
    const { anchorId } = await client.anchors.submit({ root: hash, epoch: 'first' })
    const publications = await client.anchors.publications(anchorId)
  },
} satisfies Calls

export const assets = {
  async mintAsset({ client, cid }) {
    const media = { mime: 'image/png', bytes: 1_234, cid }
    const { asset, owner } = await client.assets.mint({ media, metadataHash: 'a7'.repeat(48) })
  },

  async transferAsset({ client, assetId, friend }) {
    const { owner } = await client.assets.transfer(assetId, friend.identity.did)
  },

  async exportAsset({ client, assetId }) {
    const { record, transfers, proof } = await client.assets.export(assetId)
  },

  async readAsset({ client, assetId }) {
    const { record, proof } = await client.assets.read(assetId)
  },

  async readAssetHistory({ client, assetId }) {
    const displaced = await client.assets.displaced(assetId)
  },

  async readReceipts({ client, assetId }) {
    const receipts = await client.assets.receipts(assetId)
  },

  async addReceipt({ client, assetId }) {
    const token = { standard: 'erc721', contract: `0x${'ab'.repeat(20)}`, tokenId: '7' } as const
    const { receipts } = await client.assets.addReceipt(assetId, token)
  },
} satisfies Calls

export const governance = {
  async readPolicy({ governor }) {
    const { policy, policyId } = await governor.client.governance.policy()
  },

  async publishPolicy({ governor }) {
    const { policy } = await governor.client.governance.policy()
    const proposal = await governor.client.governance.propose({ ...policy, meta: { why: 'an example' } })
    const attestation = await governor.client.governance.attest(proposal)
    const { policyId } = await governor.client.governance.publish(proposal, [attestation])
  },

  async readAudit({ governor }) {
    for await (const entry of governor.client.governance.audit()) console.log(entry)
  },
} satisfies Calls

export const account = {
  async readContent({ client, cid }) {
    await client.account.pin(cid)
    const bytes = await client.account.content(cid)
  },

  async pinContent({ client, cid }) {
    const { status, bytes } = await client.account.pin(cid, 'my picture')
  },

  async listPins({ client }) {
    const { pins } = await client.account.pins()
  },

  async unpinContent({ client, cid }) {
    await client.account.pin(cid)
    await client.account.unpin(cid)
  },

  async redeemCode({ client, identity, code }) {
    const { tier } = await client.account.redeem(code, identity.did)
  },

  async verifyUser({ client }) {
    const { licensed, tier } = await client.account.licence()
  },

  async verifyPqc({ client, signed }) {
    await client.verifySignature({ alg: 'ml-dsa-65', ...signed })
  },

  async prepareHeaders({ client, identity }) {
    const { aadB64u } = await client.prepareHeader({
      userId: identity.userId,
      noteId: 'note-1',
      deviceId: 'laptop',
      operation: 'create',
      contentType: 'text/plain',
      contentLength: 5,
      timestamp: new Date().toISOString(),
      app: { name: 'my-app', version: '1.0.0' },
    })
  },

  async listTakedowns({ client }) {
    for await (const { subject, reason } of client.account.takedowns()) console.log(subject, reason)
  },
} satisfies Calls
