import { Device } from '@svc/client'
import { safeVerifyOpening, safeVerifyProof, verifyProof } from '@svc/client/verify'
import { envelopeOf } from '@svc/protocol/http/envelope'
import { provenancePathSchema } from '@svc/protocol/provenance/path'
import { signerOf } from './signer.ts'
import { clientOf, LOCAL_ORIGIN, named, type Show, type World } from './world.ts'

/** Unique to this run: on a state folder from an earlier run, a fixed text would already be registered. */
const file = new TextEncoder().encode(`a picture that never leaves this machine, ${crypto.randomUUID()}`)

/** A capsule and its proof, one with a block, a commitment, and signature verification. */
export async function provenance(world: World, show: Show): Promise<void> {
  await capsules(world, show)
  await proofs(world, show)
  await chainBinding(world, show)
  await commitments(world, show)
  await verification(world, show)
}

async function capsules(world: World, show: Show): Promise<void> {
  const { alice, bob } = world
  const { realms } = alice.client
  const sent = await alice.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
  const again = async () => (await alice.client.provenance.register(sent)).duplicate
  await show('alice: registers a capsule of a picture that stays on her device', 'registered', async () =>
    (await again()) ? 'known' : 'registered',
  )
  await show('alice: registers it again at no cost', 'known, 1 unit', async () => {
    const known = (await again()) ? 'known' : 'registered'
    const meter = (await alice.client.quota.meters()).find(({ kind }) => kind === 'capsule')
    return `${known}, ${meter?.used} unit`
  })
  await show('bob: claims the same picture, and comes second', '2 claims, alice first', async () => {
    await bob.client.provenance.register(await bob.client.provenance.sign(file, { kind: 'image', mime: 'image/png' }))
    const { claims, claimCount } = await clientOf(world).provenance.capsule(sent.capsule.assetId)
    return `${claimCount} claims, ${claims[0]?.did === alice.identity.did ? 'alice' : 'bob'} first`
  })
  await show('alice: her device registers a video', 'device', async () => {
    const camera = await Device.create({ origin: LOCAL_ORIGIN, capabilities: ['provenance:write'] })
    const attestation = await alice.client.devices.attest(
      await camera.acceptance(alice.identity.did, { realm: alice.client.realm, now: Date.now() }),
    )
    const device = await camera.attested(attestation, await alice.client.keyHistory.of(alice.identity.did), realms)
    const { provenance: by } = clientOf(world, { device })
    const { assetId } = await by.register(await by.sign(file.slice(1), { kind: 'video', mime: 'video/mp4' }))
    return (await by.capsule(assetId)).signer.kind
  })
  await show('must fail: alice registers a claim that bob signed', '403 owner_mismatch', async () => {
    const his = await bob.client.provenance.sign(file.slice(2), { kind: 'image', mime: 'image/png' })
    return alice.client.provenance.register(his).then(() => 'registered', named)
  })
}

async function proofs(world: World, show: Show): Promise<void> {
  const { alice } = world
  const { capsule } = await alice.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
  const bundle = await clientOf(world).provenance.proof(capsule.assetId, alice.identity.did)
  await show('anyone: verifies the proof offline', 'valid, 4 verified', async () => {
    const { verified } = await verifyProof(bundle, {
      realms: alice.client.realms,
      file,
      expectedDid: alice.identity.did,
    })
    return `valid, ${verified.length} verified`
  })
  await show('anyone: learns what the proof does not cover', 'no ledger', async () =>
    bundle.anchor === null && bundle.gaps.some(({ gap }) => gap === 'no_ledger_anchor') ? 'no ledger' : 'a ledger',
  )
  await show('must fail: the proof with another file', 'content_mismatch', async () => {
    const verified = await safeVerifyProof(bundle, { realms: alice.client.realms, file: file.slice(1) })
    return verified.ok ? 'valid' : verified.error.reason
  })
  await show('must fail: the path of a capsule without a block', '404', async () => {
    return String((await fetch(pathOf(world, capsule.assetId))).status)
  })
}

const pathOf = ({ provenance: url }: World, assetId: string) => `${url}/api/provenance/${assetId}/path`

/** The block of the owner's chain that a registration appends. */
async function chainBinding(world: World, show: Show): Promise<void> {
  const { alice } = world
  const { provenance: hers, chain } = alice.client
  const picture = file.slice(3)
  const signed = await hers.sign(picture, { kind: 'image', mime: 'image/png' })
  const { assetId } = signed.capsule
  const before = await chain.head()
  await show('alice: registers a picture with a block of her chain', 'the head of her chain', async () => {
    const registered = await hers.register(await hers.bind(signed, before))
    const { index, hash } = await chain.head()
    const isHead = registered.chain?.index === index && registered.chain.hash === hash
    return isHead && Number(index) === Number(before.index) + 1 ? 'the head of her chain' : 'another block'
  })
  await show('anyone: reads the path from the picture to alice', '5 steps to alice', async () => {
    const answer: unknown = await (await fetch(pathOf(world, assetId))).json()
    const { did, block, capsule, steps } = envelopeOf(provenancePathSchema).loose().parse(answer).data
    const isHers = did === alice.identity.did && capsule.assetId === assetId && block.previousHash === before.hash
    return `${steps.length} steps to ${isHers ? 'alice' : 'another'}`
  })
  await show('anyone: verifies the block in the proof offline', 'chain_block verified', async () => {
    const bundle = await clientOf(world).provenance.proof(assetId, alice.identity.did)
    const { verified, gaps } = await verifyProof(bundle, { realms: alice.client.realms, file: picture })
    return verified.includes('chain_block') && !gaps.includes('no_chain_binding') ? 'chain_block verified' : 'no block'
  })
  await show('must fail: a capsule with a block on a stale head', '409 stale_head', async () => {
    const late = await hers.sign(file.slice(4), { kind: 'image', mime: 'image/png' })
    return hers.register(await hers.bind(late, before)).then(() => 'registered', named)
  })
}

async function commitments(world: World, show: Show): Promise<void> {
  await show('alice: commits to a secret, and opens it later', 'only the secret opens it', async () => {
    const { commitment, saltB64u } = await world.alice.client.provenance.commit(file)
    const read = await clientOf(world).provenance.commitment(commitment.id)
    const [mine, other] = await Promise.all(
      [file, file.slice(1)].map((content) => safeVerifyOpening(read, saltB64u, content)),
    )
    return mine?.ok && !other?.ok ? 'only the secret opens it' : 'does not open'
  })
}

async function verification(world: World, show: Show): Promise<void> {
  const { alice } = world
  const anyone = clientOf(world).provenance
  const message = new TextEncoder().encode('signed by alice')
  const request = {
    publicKeyB64u: alice.identity.publicKeyB64u,
    messageB64u: Buffer.from(message).toString('base64url'),
    signatureB64u: Buffer.from(await signerOf(alice.identity)(message)).toString('base64url'),
  }
  await show('anyone: verifies a signature and the status of its key', 'valid, current', async () => {
    const { valid, keyStatus } = await anyone.verifyWithKeyStatus(request)
    return `${valid ? 'valid' : 'not valid'}, ${keyStatus.state}`
  })
  await show('anyone: verifies a batch with one invalid signature', '2 valid, 1 not', async () => {
    const wrong = { ...request, messageB64u: 'AAAA' }
    const { valid, invalid } = await anyone.verifyBatch([request, wrong, request])
    return `${valid} valid, ${invalid} not`
  })
  await show('must fail: a reused nonce', '400 nonce_replay', async () => {
    const nonce = crypto.randomUUID()
    await anyone.verify({ ...request, nonce })
    return anyone.verify({ ...request, nonce }).then(() => 'valid', named)
  })
}
