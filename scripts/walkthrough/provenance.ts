import { Device, Provenance } from '@svc/client'
import { clientOf, LOCAL_ORIGIN, named, type Show, type World } from './world.ts'

/** Of this run alone: on a state folder that has seen one before, another would be registered already. */
const file = new TextEncoder().encode(`a picture that never leaves this machine, ${crypto.randomUUID()}`)

/** A capsule, what it proves, a commitment, and verification. */
export async function provenance(world: World, show: Show): Promise<void> {
  await capsules(world, show)
  await proofs(world, show)
  await commitments(world, show)
  await verification(world, show)
}

async function capsules(world: World, show: Show): Promise<void> {
  const { alice, bob } = world
  const sent = await alice.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
  const again = async () => (await alice.client.provenance.register(sent)).duplicate
  await show('alice: registers a capsule of a picture that stays here', 'registered', async () =>
    (await again()) ? 'known' : 'registered',
  )
  await show('alice: registers it again, for nothing', 'known, 1 unit', async () => {
    const known = (await again()) ? 'known' : 'registered'
    const meter = (await alice.client.quota.meters()).find(({ kind }) => kind === 'capsule')
    return `${known}, ${meter?.used} unit`
  })
  await show('bob: claims the same picture, and comes second', '2 claims, alice first', async () => {
    await bob.client.provenance.register(await bob.client.provenance.sign(file, { kind: 'image', mime: 'image/png' }))
    const { claims, claimCount } = await clientOf(world).provenance.capsule(sent.capsule.assetId)
    return `${claimCount} claims, ${claims[0]?.did === alice.identity.did ? 'alice' : 'bob'} first`
  })
  await show('alice: a device of hers registers a video', 'device', async () => {
    const camera = await Device.create({ origin: LOCAL_ORIGIN, capabilities: ['provenance:write'] })
    const attestation = await alice.client.devices.attest(await camera.acceptance(alice.identity.did, Date.now()))
    const device = await camera.attested(attestation, await alice.client.keyHistory.of(alice.identity.did))
    const { provenance: by } = clientOf(world, { device })
    const { assetId } = await by.register(await by.sign(file.slice(1), { kind: 'video', mime: 'video/mp4' }))
    return (await by.capsule(assetId)).signer.kind
  })
  await show('must fail: alice registers what bob has signed', '403 owner_mismatch', async () => {
    const his = await bob.client.provenance.sign(file.slice(2), { kind: 'image', mime: 'image/png' })
    return alice.client.provenance.register(his).then(() => 'registered', named)
  })
}

async function proofs(world: World, show: Show): Promise<void> {
  const { alice } = world
  const { capsule } = await alice.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
  const bundle = await clientOf(world).provenance.proof(capsule.assetId, alice.identity.did)
  await show('anyone: verifies the proof without a network', 'holds, 4 verified', async () => {
    const { holds, verified } = await Provenance.verifyProof(bundle, { file, expectedDid: alice.identity.did })
    return `${holds ? 'holds' : 'fails'}, ${verified.length} verified`
  })
  await show('anyone: is told what the proof does not show', 'no ledger', async () =>
    bundle.anchor === null && bundle.gaps.some(({ gap }) => gap === 'no_ledger_anchor') ? 'no ledger' : 'a ledger',
  )
  await show('must fail: the proof with another file', 'content_mismatch', async () => {
    const { faults } = await Provenance.verifyProof(bundle, { file: file.slice(1) })
    return faults.join(', ')
  })
  await show('must fail: the path on a chain that nothing is bound to', '501', async () => {
    const url = `${world.provenance}/api/provenance/${capsule.assetId}/path`
    return String((await fetch(url)).status)
  })
}

async function commitments(world: World, show: Show): Promise<void> {
  await show('alice: commits to a secret, and opens it later', 'opens, and nothing else does', async () => {
    const { commitment, saltB64u } = await world.alice.client.provenance.commit(file)
    const read = await clientOf(world).provenance.commitment(commitment.id)
    const [mine, other] = [file, file.slice(1)].map((content) => Provenance.opens(read, saltB64u, content))
    return mine && !other ? 'opens, and nothing else does' : 'does not open'
  })
}

async function verification(world: World, show: Show): Promise<void> {
  const { alice } = world
  const anyone = clientOf(world).provenance
  const message = new TextEncoder().encode('signed by alice')
  const request = {
    publicKeyB64u: alice.identity.publicKeyB64u,
    messageB64u: Buffer.from(message).toString('base64url'),
    signatureB64u: Buffer.from(await alice.identity.sign(message)).toString('base64url'),
  }
  await show('anyone: verifies a signature, and how its key stands', 'valid, current', async () => {
    const { valid, keyStatus } = await anyone.verifyWithKeyStatus(request)
    return `${valid ? 'valid' : 'not valid'}, ${keyStatus.state}`
  })
  await show('anyone: verifies a batch in which one is wrong', '2 valid, 1 not', async () => {
    const wrong = { ...request, messageB64u: 'AAAA' }
    const { valid, invalid } = await anyone.verifyBatch([request, wrong, request])
    return `${valid} valid, ${invalid} not`
  })
  await show('must fail: the same nonce twice', '400 nonce_replay', async () => {
    const nonce = crypto.randomUUID()
    await anyone.verify({ ...request, nonce })
    return anyone.verify({ ...request, nonce }).then(() => 'valid', named)
  })
}
