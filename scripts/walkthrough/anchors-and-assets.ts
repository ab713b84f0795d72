import { Anchors } from '@svc/client'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import type { GovernancePolicy } from '@svc/protocol/governance'
import { hashTextHex } from '@svc/protocol/hash'
import { signStatement } from '@svc/protocol/statement'
import { reportPublication } from '../lib/publication.ts'
import { account } from './account.ts'
import { clientOf, named, type Show, type World } from './world.ts'

/** Roots in the log, what the publisher reports of them, an asset that changes hands, and who governs. */
export async function anchorsAndAssets(world: World, show: Show): Promise<void> {
  await anchors(world, show)
  await assets(world, show)
  await governance(world, show)
  await account(world, show)
}

async function anchors(world: World, show: Show): Promise<void> {
  const { alice, core, secrets } = world
  const { client } = alice
  const before = await clientOf(world).anchors.checkpoint()
  let anchorId = ''
  await show('alice: is offered an anchor of her newest block', 'eligible, then head_anchored', async () => {
    const { eligible, root } = await client.anchors.eligibility()
    const record = await client.anchors.submit({ root: root ?? '', epoch: 'walk-through' })
    anchorId = record.anchorId
    return `${eligible ? 'eligible' : 'not'}, then ${(await client.anchors.eligibility()).reasons.join()}`
  })
  await show('anyone: recomputes the state proof', 'it is in the window', async () => {
    const { anchors: window } = await clientOf(world).anchors.stateProof(16)
    return window.some((anchor) => anchor.anchorId === anchorId) ? 'it is in the window' : 'missing'
  })
  await show('anyone: the log has only grown', 'extends', async () => {
    const after = await clientOf(world).anchors.checkpoint()
    return (await clientOf(world).anchors.extends(before, after)) ? 'extends' : 'forked'
  })
  await show('alice: verifies her bundle offline', 'included, submitted', async () => {
    const bundle = await client.anchors.bundle(anchorId)
    const verified = await Anchors.verify(bundle, before.publicKeyB64u)
    return `${verified.ok ? 'included' : verified.error.reason}, ${bundle.record.status}`
  })
  await show('publisher: reports a transaction, then its confirmation', 'published, confirmed', async () => {
    const publication = { anchorId, chain: 'example-ledger', tx: '0xabc' } as const
    const first = await reportPublication(core, { ...publication, state: 'published' }, secrets.publisherSeed)
    const second = await reportPublication(core, { ...publication, state: 'confirmed' }, secrets.publisherSeed)
    return `${first.status}, ${second.status}`
  })
}

async function assets({ alice, bob }: World, show: Show): Promise<void> {
  const assetId = `asset:sha3-384:${hashTextHex(`walk-through ${alice.identity.did}`)}`
  const media = { mime: 'image/png', bytes: 1234, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }
  await show('alice: mints an asset', alice.identity.did, async () => {
    return (await alice.client.assets.mint({ assetId, media })).owner
  })
  await show('alice: hands it to bob', bob.identity.did, async () => {
    return (await alice.client.assets.transfer(assetId, bob.identity.did)).owner
  })
  await show('must fail: alice hands it over again', '403 owner_mismatch', async () =>
    alice.client.assets.transfer(assetId, alice.identity.did).then(() => 'moved', named),
  )
  await show('bob: states a token for it and exports it', '1 transfer, 1 receipt', async () => {
    await bob.client.assets.addReceipt(assetId, { standard: 'erc721', contract: `0x${'ab'.repeat(20)}`, tokenId: '7' })
    const { record, transfers } = await bob.client.assets.export(assetId)
    return `${transfers.length} transfer, ${record.receipts?.length} receipt`
  })
}

/** The policy of a local deployment may be there from an earlier run; a new one then follows nobody here. */
async function governance({ core, alice, bob, secrets }: World, show: Show): Promise<void> {
  const signers = [
    { id: 'alice', publicKeyB64u: alice.identity.publicKeyB64u },
    { id: 'bob', publicKeyB64u: bob.identity.publicKeyB64u },
  ]
  const policy: GovernancePolicy = { version: 'v1', threshold: 2, signers }
  const hasPolicy = await alice.client.governance.policy().then(
    () => true,
    () => false,
  )
  if (hasPolicy) return
  await show('operator: sets the first governance policy', '2 of 2', async () => {
    const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(24)))
    const statement = { type: 'svc/operator-governance-policy/v1', policy, nonce, issuedAt: Date.now() } as const
    const act = await signStatement(statement, (message) => mlDsa65.sign(secrets.operatorSeed, message))
    const headers = { 'content-type': 'application/json' }
    await fetch(`${core}/api/operator/acts`, { method: 'POST', headers, body: JSON.stringify(act) })
    const { policy: current } = await alice.client.governance.policy()
    return `${current.threshold} of ${current.signers.length}`
  })
  const next: GovernancePolicy = { ...policy, threshold: 1, meta: { why: 'walk-through' } }
  await show('must fail: one signer alone publishes the next', '403 threshold_not_met', async () =>
    alice.client.governance.publish(next, [await alice.client.governance.attest(next)]).then(() => 'active', named),
  )
  await show('alice and bob: publish the next together', '2 in the audit trail', async () => {
    const attestations = [await alice.client.governance.attest(next), await bob.client.governance.attest(next)]
    await bob.client.governance.publish(next, attestations)
    let entries = 0
    for await (const _ of alice.client.governance.audit()) entries += 1
    return `${entries} in the audit trail`
  })
}
