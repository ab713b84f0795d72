import { assetIdOf } from '@svc/client/functions'
import { safeVerifyAnchor } from '@svc/client/verify'
import { anchorsWith, reportPublication } from '@svc/operations/publication'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashTextHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import type { GovernancePolicy } from '@svc/protocol/ledger/governance'
import { account } from './account.ts'
import { clientOf, named, type Show, type World } from './world.ts'

const APP = { name: 'walk-through', version: '1.0.0' }

/** Anchored roots, publisher reports, an asset transfer, and governance. */
export async function anchorsAndAssets(world: World, show: Show): Promise<void> {
  await anchors(world, show)
  await assets(world, show)
  await governance(world, show)
  await account(world, show)
}

async function anchors(world: World, show: Show): Promise<void> {
  const { alice, core, did, secrets } = world
  const { client } = alice
  const before = await clientOf(world).anchors.checkpoint()
  let anchorId = ''
  await show('alice: anchors her newest block', 'eligible, then head_anchored', async () => {
    const { eligible, root } = await client.anchors.eligibility()
    const record = await client.anchors.submit({ root: root ?? '', epoch: 'walk-through' })
    anchorId = record.anchorId
    return `${eligible ? 'eligible' : 'not'}, then ${(await client.anchors.eligibility()).reasons.join()}`
  })
  await show('anyone: recomputes the state proof', 'within the window', async () => {
    const { anchors: window } = await clientOf(world).anchors.stateProof(16)
    return window.some((anchor) => anchor.anchorId === anchorId) ? 'within the window' : 'missing'
  })
  await show('anyone: checks that the log only grew', 'extends', async () => {
    const after = await clientOf(world).anchors.checkpoint()
    const extended = await clientOf(world).anchors.safeVerifyExtension(before, after)
    return extended.ok ? 'extends' : extended.error.reason
  })
  await show('alice: verifies her bundle offline', 'included, submitted', async () => {
    const bundle = await client.anchors.bundle(anchorId)
    const verified = await safeVerifyAnchor(bundle, { logKeyB64u: before.publicKeyB64u }, client.realms)
    return `${verified.ok ? 'included' : verified.error.reason}, ${bundle.record.status}`
  })
  await show('must fail: bob submits her root with her attestation', '403 unknown_signer', async () => {
    const { root, epoch, attestations } = await client.anchors.read(anchorId)
    return world.bob.client.anchors.submit({ root, epoch, attestations }).then(() => 'submitted', named)
  })
  await show('publisher: finds it among the anchors that wait', 'waiting', async () => {
    const isWaiting = await isAmong(anchorId, anchorsWith('submitted', { core, did, realm: client.realm }))
    return isWaiting ? 'waiting' : 'missing'
  })
  await show('publisher: reports a transaction, then its confirmation', 'published, confirmed', async () => {
    const publication = { anchorId, chain: 'example-ledger', tx: '0xabc' } as const
    const first = await reportPublication(
      { core, did, realm: client.realm },
      { ...publication, state: 'published' },
      secrets.publisherSeed,
    )
    const second = await reportPublication(
      { core, did, realm: client.realm },
      { ...publication, state: 'confirmed' },
      secrets.publisherSeed,
    )
    return `${first.status}, ${second.status}`
  })
  await show('alice: lists her confirmed anchors', 'confirmed, not waiting', async () => {
    const confirmed = clientOf(world).anchors.all({ owner: alice.identity.did, status: 'confirmed' })
    const isConfirmed = await isAmong(anchorId, confirmed)
    const isWaiting = await isAmong(anchorId, anchorsWith('submitted', { core, did, realm: client.realm }))
    return `${isConfirmed ? 'confirmed' : 'missing'}, ${isWaiting ? 'waiting' : 'not waiting'}`
  })
}

async function isAmong(anchorId: string, listed: AsyncIterable<{ readonly anchorId: string }>): Promise<boolean> {
  for await (const anchor of listed) if (anchor.anchorId === anchorId) return true
  return false
}

async function assets({ core, alice, bob }: World, show: Show): Promise<void> {
  const media = { mime: 'image/png', bytes: 1234, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }
  const unnamed = { media, metadataHash: hashTextHex('walk-through') }
  const assetId = await assetIdOf(alice.identity.scope, unnamed)
  await show('bob: records alice’s asset first, without a signature', 'claimed', async () => {
    const timestamp = new Date().toISOString()
    const header = { userId: bob.identity.userId, action: 'asset/mint', assetId, timestamp, app: APP }
    const body = new TextEncoder().encode(JSON.stringify({ header, asset: { assetId, ...unnamed } }))
    const [method, url] = ['POST', `${core}/api/assets/mint`] as const
    const authorization = await bob.identity.assertion({ audience: 'chain', method, url, body, now: Date.now() })
    await fetch(url, { method, headers: { authorization, 'content-type': 'application/json' }, body })
    return (await alice.client.assets.read(assetId)).proof.owner
  })
  await show('alice: mints her asset, which displaces the other record', alice.identity.did, async () => {
    return (await alice.client.assets.mint(unnamed)).owner
  })
  await show('anyone: reads what was displaced', bob.identity.did, async () => {
    return (await bob.client.assets.displaced(assetId))?.record.owner ?? 'nothing'
  })
  await show('alice: transfers it to bob', bob.identity.did, async () => {
    return (await alice.client.assets.transfer(assetId, bob.identity.did)).owner
  })
  await show('must fail: alice transfers it again', '403 owner_mismatch', async () =>
    alice.client.assets.transfer(assetId, alice.identity.did).then(() => 'moved', named),
  )
  await show(
    'bob: registers a token, and his export proves that he owns it',
    '1 transfer, 1 receipt, proved',
    async () => {
      await bob.client.assets.addReceipt(assetId, {
        standard: 'erc721',
        contract: `0x${'ab'.repeat(20)}`,
        tokenId: '7',
      })
      const { record, transfers, proof } = await bob.client.assets.export(assetId)
      return `${transfers.length} transfer, ${record.receipts?.length} receipt, ${proof.owner}`
    },
  )
}

/** An earlier run on this state may have set the policy. Its signers are gone then, so no new policy can follow. */
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
    const { realm } = alice.client
    const statement = {
      type: 'svc/operator-governance-policy/v1',
      realm,
      service: 'core',
      policy,
      previousPolicyId: null,
      nonce,
      issuedAt: Date.now(),
    } as const
    const act = await signStatement(statement, (message) => mlDsa65.sign(secrets.operatorSeed, message))
    const headers = { 'content-type': 'application/json' }
    await fetch(`${core}/api/operator/acts`, { method: 'POST', headers, body: JSON.stringify(act) })
    const { policy: current } = await alice.client.governance.policy()
    return `${current.threshold} of ${current.signers.length}`
  })
  const draft = await alice.client.governance.propose({ ...policy, threshold: 1, meta: { why: 'a draft' } })
  const drafted = [await alice.client.governance.attest(draft), await bob.client.governance.attest(draft)]
  const next = await alice.client.governance.propose({ ...policy, threshold: 1, meta: { why: 'walk-through' } })
  await show('must fail: a single signer publishes the next policy', '403 threshold_not_met', async () =>
    alice.client.governance.publish(next, [await alice.client.governance.attest(next)]).then(() => 'active', named),
  )
  await show('alice and bob: publish the next policy together', '2 in the audit trail', async () => {
    const attestations = [await alice.client.governance.attest(next), await bob.client.governance.attest(next)]
    await bob.client.governance.publish(next, attestations)
    let entries = 0
    for await (const _ of alice.client.governance.audit()) entries += 1
    return `${entries} in the audit trail`
  })
  await show('must fail: the signed draft that they abandoned', '409 stale_policy', async () =>
    alice.client.governance.publish(draft, drafted).then(() => 'active', named),
  )
}
